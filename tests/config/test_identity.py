"""The hash behind every artifact: stable, sensitive to every value, and unable to be confused by their types."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exp.config import identity as module
from exp.config.identity import NOT_HASHED, VERSIONS, canonical_json, hashed_values, identity
from exp.config.point import Point

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def test_an_identity_is_sixteen_hexadecimal_digits() -> None:
    found = identity("sft", {"a": 1}, {"base": "x"})
    assert len(found) == 16
    int(found, 16)


def test_stage_values_and_inputs_all_count() -> None:
    variants = [
        identity("sft", {"a": 1}, {"base": "x"}),
        identity("grpo", {"a": 1}, {"base": "x"}),
        identity("sft", {"a": 2}, {"base": "x"}),
        identity("sft", {"b": 1}, {"base": "x"}),
        identity("sft", {"a": 1}, {"base": "y"}),
        identity("sft", {"a": 1}, {"model": "x"}),
        identity("sft", {"a": 1, "base": "x"}, {}),
    ]
    assert len(set(variants)) == len(variants)


def test_a_new_version_of_a_stage_has_new_identities(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {stage: identity(stage, {}, {}) for stage in VERSIONS}
    monkeypatch.setattr(module, "VERSIONS", VERSIONS | {"sft": VERSIONS["sft"] + 1})
    assert {stage for stage in VERSIONS if identity(stage, {}, {}) != before[stage]} == {"sft"}


@given(st.dictionaries(st.text(), JSON))
def test_the_order_of_keys_does_not_count(values: dict[str, object]) -> None:
    assert canonical_json(values) == canonical_json(dict(reversed(list(values.items()))))


@given(JSON, JSON)
def test_different_contents_are_written_differently(first: object, second: object) -> None:
    assert (canonical_json(first) == canonical_json(second)) == (repr_sorted(first) == repr_sorted(second))


def repr_sorted(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{k!r}:{repr_sorted(v)}" for k, v in sorted(value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(repr_sorted, value)) + "]"
    return repr(value)


def test_what_is_not_a_number_has_no_identity() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        identity("sft", {"a": float("nan")}, {})


def test_only_fields_that_exist_are_left_out() -> None:
    for group, names in NOT_HASHED.items():
        model = Point.model_fields[group].annotation
        assert set(names) <= set(getattr(model, "model_fields", {})), group
    assert hashed_values("sft", {"save_steps": 3, "steps": 4, "new": 5}) == {"steps": 4, "new": 5}
    assert hashed_values("lora", {"rank": 3}) == {"rank": 3}
