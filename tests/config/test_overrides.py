"""Wrong words on the command line: each is named, all at once, and what the message proposes is right when pasted."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exp.config.compose import compose_point
from exp.config.overrides import GROUPS, check_overrides, field_at, group_options
from exp.config.point import Point
from exp.errors import Problem, Refused
from exp.views.fields import field_rows


def problems(*words: str, multirun: bool = False) -> tuple[Problem, ...]:
    with pytest.raises(Refused) as refused:
        check_overrides(words, multirun=multirun)
    return refused.value.problems


def only_problem(*words: str, multirun: bool = False) -> Problem:
    (problem,) = problems(*words, multirun=multirun)
    return problem


def keys() -> Iterator[str]:
    """Every dotted key of the schema that holds a value."""
    for group in GROUPS:
        yield from (row[0] for row in field_rows(group, Point.model_fields[group].annotation) if row[1] != "group")


KEYS = sorted(keys())


@pytest.mark.parametrize(
    ("word", "fix"),
    [
        ("modl=qwen8b", "model=qwen8b"),
        ("model=qwen8", "model=qwen8b"),
        ("grpo.lerning_rate=2e-5", "grpo.learning_rate=2e-5"),
        ("grop.lerning_rate=2e-5", "grpo.learning_rate=2e-5"),
        ("dataset.sft.tak=10", "dataset.sft.take=10"),
        ("model.architecture.hidden=64", "model.architecture.hidden_size=64"),
        ("sed=3", "seed=3"),
        ("recipe=short_long", "recipe=short_to_long"),
        ("context=6", "context=6k"),
        ("generations=2", "generations=g2"),
        ("lora=16", "lora=r16"),
        ("modl=qwen8", "model=qwen8b"),
        ("formt.reasoning_opn=<think>", """'format.reasoning_open="<think>"'"""),
    ],
)
def test_a_misspelt_word_is_met_with_the_right_one(word: str, fix: str) -> None:
    assert only_problem(word).fix == fix
    check_overrides(shlex.split(fix))


def test_an_unknown_option_is_answered_with_all_that_there_are() -> None:
    problem = only_problem("lora=huge")
    assert all(option in problem.what for option in group_options("lora"))


def test_a_key_like_no_other_is_answered_with_those_that_there_are() -> None:
    assert "num_generations" in only_problem("generations.zzz=1").what


@pytest.mark.parametrize(
    "value",
    [
        "<think>",
        "\\boxed{}",
        "\\boxed{",
        "a, b",
        "a,b",
        "x=1",
        "it's",
        'say "x", then',
        "both ' and \"",
        "日本",
        "a#b",
        "(",
        "[a",
    ],
)
def test_a_value_that_needs_quotes_is_met_with_the_quoted_form_which_yields_it(value: str) -> None:
    problem = only_problem(f"format.system_prompt={value}")
    (word,) = shlex.split(problem.fix)
    assert compose_point([word]).format.system_prompt == value


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="ab 1<>{}[]()\\,=:'\"#$%&@!?|~+-*/.\té∫", min_size=1, max_size=12))
def test_any_text_is_either_taken_as_it_is_or_quoted_so_that_it_is(value: str) -> None:
    word = f"format.system_prompt={value}"
    try:
        check_overrides([word])
    except Refused as refused:
        (problem,) = refused.problems
        try:
            (word,) = shlex.split(problem.fix)
        except ValueError:
            word = ""
        if not word.startswith("format.system_prompt="):
            assert "--config-dir" in problem.fix
            return
        assert compose_point([word]).format.system_prompt == value


def test_all_mistakes_are_listed_at_once() -> None:
    found = problems("modl=tiny", "lora=16", "grpo.stepz=3", "format.answer_open=<a>", "foo", "seed=3")
    assert len(found) == 5
    assert [p.where for p in found] == ["command line"] * 5


def test_several_values_need_the_multirun_switch() -> None:
    assert only_problem("lora=r8,r16").fix == "-m lora=r8,r16"
    assert only_problem("lora.rank=8,16").fix == "-m lora.rank=8,16"
    assert only_problem("lora.rank=range(8,10)").fix == "-m 'lora.rank=range(8,10)'"
    assert check_overrides(["lora=r8,r16"], multirun=True) == ["lora=r8,r16"]


def test_each_option_of_a_sweep_is_checked() -> None:
    assert [p.fix for p in problems("lora=r8,16,32", multirun=True)] == ["lora=r16", "lora=r32"]


def test_a_pattern_stands_for_the_options_that_fit_it() -> None:
    assert check_overrides(["model=glob(qwen*)"], multirun=True) == ["model=glob(qwen*)"]
    assert "'x*'" in only_problem("model=glob(x*)", multirun=True).what


@pytest.mark.parametrize("word", ["lora.rank=interval(1,3)", "label=glob(*)"])
def test_a_sweep_that_cannot_be_written_out_is_refused(word: str) -> None:
    assert "no list of values" in only_problem(word, multirun=True).what


def test_a_plus_makes_no_difference_where_the_schema_knows_the_key() -> None:
    assert compose_point(["+grpo.epsilon=0.3", "+seed=4", "+lora=r8"]) == compose_point(
        ["grpo.epsilon=0.3", "++seed=4", "lora=r8"]
    )


def test_a_key_that_the_options_file_does_not_spell_out_can_be_set() -> None:
    assert compose_point(["grpo.top_p=0.9", "tracker.project=mine"]).grpo.top_p == 0.9


def test_a_part_of_an_open_mapping_can_be_taken_away_and_a_group_cannot() -> None:
    point = compose_point(["~reward.components.strict", "reward.components.accuracy.weight=2"])
    assert list(point.reward.components) == ["accuracy"]
    assert "cannot be taken away" in only_problem("~model").what


def test_an_option_in_a_folder_of_ones_own_is_known(tmp_path: Path) -> None:
    (tmp_path / "lora").mkdir()
    (tmp_path / "lora" / "mine.yaml").write_text("rank: 3\n")
    assert check_overrides(["lora=mine"], folders=[tmp_path]) == ["lora=mine"]


@pytest.mark.parametrize("key", KEYS)
def test_every_key_of_the_schema_is_accepted_on_the_command_line(key: str) -> None:
    assert check_overrides([f"{key}=1"]) == [f"++{key}=1"]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(KEYS), st.data())
def test_a_proposed_key_is_itself_accepted(key: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(key) - 1))
    wrong = data.draw(
        st.sampled_from([key[:at] + key[at + 1 :], key[: at + 1] + key[at:], key[:at] + "q" + key[at + 1 :]])
    )
    try:
        check_overrides([f"{wrong}=1"])
    except Refused as refused:
        (problem,) = refused.problems
        assume(problem.fix and "is not an override" not in problem.what)
        (word,) = shlex.split(problem.fix)
        assert check_overrides([word]) == [word if "." not in word else f"++{word}"]


def test_the_types_of_the_schema_are_found_by_key() -> None:
    assert field_at(["grpo", "steps"]) is int
    assert field_at(["reward", "components", "anything", "weight"]) is float
    with pytest.raises(KeyError) as error:
        field_at(["grpo", "stepz"])
    assert error.value.args == (1,)
