"""Form that breaks in the same way again and again: tags gamed for partial credit, or a form never learned."""

from __future__ import annotations

import re
from collections.abc import Sequence

from exp.config.contracts import Format
from exp.monitors.alert import Finding
from exp.monitors.habits import Habits
from exp.monitors.monitor import Group, Monitor, Row, Setting

AT_THE_END = "all tags at the end"
REORDERED = "tags in another order"
REPEATED = "tags repeated"

_ADVICE_TRICK = (
    "Pay for the answer only where the whole form holds: reward=strict. A reward that counts tags is gamed like this."
)
_ADVICE_PROBLEM = (
    "If SFT did not teach the form, train it longer (sft.steps) or check that its targets carry these tags; if the "
    "reward pays without the form, use reward=strict."
)
_VARYING = re.compile(r"\d+(?= (?:answer blocks|different answers))|:.*", re.DOTALL)
_OTHERS = ("cut off before the stop token", " different answers")
"""Problems that monitors of their own tell."""


class Form(Monitor):
    """Tag tricks and repeated problems of form.

    Tricks are told from 5 % of completions and 25 % where they stay, problems as the parser names them from 20 % and
    25 %; for the rules see `Habits`. The thresholds are our own: a healthy run of the embedded model holds 10 % of
    malformed completions, none of which the reward prefers. A trick is one of: all tags after the text they should
    enclose, tags in another order, tags repeated.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._tricks = Habits(setting.window, lambda row: tricks(row, setting.format), common=0.05, stuck=0.25)
        self._problems = Habits(setting.window, problems, common=0.2, stuck=0.25)

    def completions(self, step: int, groups: Sequence[Group]) -> list[Finding]:
        """Tricks, and problems of completions that play no trick."""
        found = [habit.finding(habit.name, _ADVICE_TRICK) for habit in self._tricks.look(step, groups)]
        broken = self._problems.look(step, groups)
        # A trick has problems too; they would only say the same again.
        return found or [habit.finding(f"a broken form, {habit.name!r},", _ADVICE_PROBLEM) for habit in broken]


def problems(row: Row) -> set[str]:
    """The parser's problems without what varies from completion to completion, such as a count or a quotation."""
    names = {_VARYING.sub("", problem).strip() for problem in row["problems"]}
    return {name for name in names if not any(other in f" {name}" for other in _OTHERS)}


def tricks(row: Row, fmt: Format) -> set[str]:
    """The tag tricks of a malformed completion."""
    if row["well_formed"]:
        return set()
    text = row["completion"]
    tags = [tag for tag in (fmt.reasoning_open, fmt.reasoning_close, fmt.answer_open, fmt.answer_close) if tag]
    found = re.findall("|".join(re.escape(tag) for tag in sorted(tags, key=len, reverse=True)), text)
    if len(found) > len(set(found)):
        return {REPEATED}
    if found == tags and fmt.reasoning_open:
        before, _, rest = text.partition(fmt.reasoning_open)
        body = rest.partition(fmt.reasoning_close)[0]
        least = fmt.min_reasoning_chars
        return {AT_THE_END} if _blankless(body) < least <= _blankless(before) else set()
    # The chat template may have written the first tag.
    return {REORDERED} if set(found) >= set(tags[1:]) and found not in (tags, tags[1:]) else set()


def _blankless(text: str) -> int:
    return len("".join(text.split()))
