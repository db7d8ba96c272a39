"""Numbers of a result in plain words: percentages, intervals, durations, and the sentence that heads the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

LABELS = {"base": "Base", "sft": "SFT", "grpo": "GRPO"}
_PAIRS = ("grpo_vs_sft", "sft_vs_base", "grpo_vs_base")
_CUT_OFF_WORTH_SAYING = 0.05
_FORMAT_WORTH_SAYING = 0.9


def percent(share: float) -> str:
    """0.978 as `97.8 %`."""
    return f"{100 * share:.1f} %"


def interval(bounds: Sequence[float]) -> str:
    """The bounds of a share's interval in percent: `[96.1, 98.8]`."""
    return f"[{100 * bounds[0]:.1f}, {100 * bounds[1]:.1f}]".replace("-", "−")


def points(difference: float) -> str:
    """A difference of two shares, with its sign: `+42.6 points`."""
    return f"{100 * difference:+.1f} points".replace("-", "−")


def p_value(p: float) -> str:
    """`p < 0.001`, or three digits."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def duration(seconds: float) -> str:
    """`4.2 s`, `48 s`, `1 min 05 s`, `2 h 05 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def headline(result: dict[str, Any]) -> str:
    """The outcome of the run in one sentence: the last trained model against the one it came from."""
    measured = result.get("eval", {})
    for pair, found in _comparisons(result):
        after, before = pair.split("_vs_")
        new, old = measured[after], measured[before]
        return (
            f"{LABELS[after]} {percent(new['accuracy'])} {interval(new['ci95'])} "
            f"against {LABELS[before]} {percent(old['accuracy'])}: {comparison(found)}."
        )
    if not measured:
        return "Nothing was evaluated in this run."
    name, only = list(measured.items())[-1]
    return f"{LABELS[name]} {percent(only['accuracy'])} {interval(only['ci95'])} on {only['n']} questions."


def comparison(found: dict[str, Any]) -> str:
    """`+42.6 points [38.2, 46.9], 213 questions won, 0 lost, p < 0.001`."""
    return (
        f"{points(found['difference'])} {interval(found['ci95'])}, "
        f"{found['wins']} questions won, {found['losses']} lost, {p_value(found['p'])}"
    )


def cautions(result: dict[str, Any]) -> list[str]:
    """What a reader must know before believing the headline, most important first."""
    said = [
        f"Stage {name} is not done: {stage['status']}."
        for name, stage in result.get("stages", {}).items()
        if stage["status"] in ("failed", "interrupted", "missing")
    ]
    for pair, found in _comparisons(result):
        after, before = pair.split("_vs_")
        if found["p"] >= 0.05:
            said.append(
                f"{LABELS[after]} and {LABELS[before]} cannot be told apart: {result['eval'][after]['n']} questions, "
                f"{p_value(found['p'])}."
            )
    for name, model in result.get("eval", {}).items():
        if model["truncated_rate"] >= _CUT_OFF_WORTH_SAYING:
            said.append(
                f"{percent(model['truncated_rate'])} of {LABELS[name]}'s completions were cut off at the length limit, "
                "so part of its errors may be the limit's."
            )
        if name != "base" and model["format_rate"] < _FORMAT_WORTH_SAYING:
            said.append(f"Only {percent(model['format_rate'])} of {LABELS[name]}'s completions keep the format.")
    return said


def _comparisons(result: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    found = result.get("comparisons", {})
    return [(pair, found[pair]) for pair in _PAIRS if found.get(pair)]
