r"""The grammar of a completion, read and written: one ordered, anchored, single block with non-empty bodies.

    completion := [OPEN] reasoning CLOSE answer-part        OPEN is absent if the chat template has written it
    answer-part := ANSWER-OPEN answer ANSWER-CLOSE          or, without answer tags, prose with one `\boxed{answer}`

The first closing reasoning tag ends the reasoning, as in the reasoning parsers of serving engines; so the reasoning may
mention every other tag without spoiling the form. Between and around the parts only blanks may stand, and the stop
token must have been reached. A format without reasoning tags counts the text before the answer as reasoning.
"""

from __future__ import annotations

from dataclasses import dataclass

from exp.config.contracts import Format
from exp.contract.box import find_boxes, is_balanced

HEDGE_GAP = 40  # characters between two boxes of one breath, as in "\boxed{3} or \boxed{5}"


@dataclass(frozen=True)
class Parsed:
    """What a completion says, and what is wrong with its form.

    `answer` is set wherever the format's own marks hold exactly one answer outside the reasoning, even in a malformed
    completion; an unfinished reasoning block, or several different answers, hold none.
    """

    reasoning: str | None
    answer: str | None
    problems: tuple[str, ...]

    @property
    def well_formed(self) -> bool:
        """Whether the completion follows the grammar."""
        return not self.problems


@dataclass(frozen=True)
class _Reasoning:
    body: str | None
    outside: str  # the text outside all reasoning blocks, where answers count
    problems: list[str]


@dataclass(frozen=True)
class _Answer:
    body: str | None
    before: str
    problems: list[str]


def parse(text: str, fmt: Format, *, opened: bool = False, ended: bool = True) -> Parsed:
    """Read a completion.

    `opened`: the chat template has already written the opening reasoning tag into the prompt. `ended`: the model
    reached its stop token; if not, the completion is malformed whatever it holds.
    """
    problems = [] if ended else ["cut off before the stop token"]
    if fmt.reasoning_open:
        reasoning = _read_reasoning(text, fmt, opened)
        answer = _read_answer(reasoning.outside, fmt)
        body = reasoning.body
        problems += reasoning.problems
    else:
        answer = _read_answer(text, fmt)
        body = answer.before.strip() or None
    if body is None or _substance(body, fmt) < fmt.min_reasoning_chars:
        problems.append(f"the reasoning holds fewer than {fmt.min_reasoning_chars} characters")
    return Parsed(body, answer.body, tuple(problems + answer.problems))


def render(reasoning: str, answer: str, fmt: Format, *, opened: bool = False) -> str:
    """The completion of an SFT target, without its stop token; `parse` gives both bodies back, stripped.

    Raises `ValueError` where that is impossible; `text_problems` says why.
    """
    if problems := text_problems(reasoning, answer, fmt):
        raise ValueError("; ".join(problems))
    return _write(reasoning, answer, fmt, opened)


def text_problems(reasoning: str, answer: str, fmt: Format) -> tuple[str, ...]:
    """Why no completion of this format says exactly this; empty if one does."""
    problems = [
        f"the {name} contains the tag {tag}"
        for name, body in (("reasoning", reasoning), ("answer", answer))
        for tag in _tags(fmt)
        if tag in body
    ]
    if fmt.answer_in_box and not is_balanced(answer):
        problems.append("the answer has unbalanced braces and cannot stand in a box")
    if problems:
        return tuple(problems)
    parsed = parse(_write(reasoning, answer, fmt, opened=False), fmt)
    if parsed.problems:
        return parsed.problems
    if (parsed.reasoning, parsed.answer) != (reasoning.strip(), answer.strip()):
        return (f"the completion would read back as reasoning {parsed.reasoning!r}, answer {parsed.answer!r}",)
    return ()


def _write(reasoning: str, answer: str, fmt: Format, opened: bool) -> str:
    answer = answer.strip()
    boxed = f"\\boxed{{{answer}}}" if fmt.answer_in_box else answer
    lines = [
        "" if opened else fmt.reasoning_open,
        reasoning.strip(),
        fmt.reasoning_close,
        fmt.answer_open + boxed + fmt.answer_close,
    ]
    return "\n".join(line for line in lines if line)


def _tags(fmt: Format) -> list[str]:
    return [tag for tag in (fmt.reasoning_open, fmt.reasoning_close, fmt.answer_open, fmt.answer_close) if tag]


def _substance(body: str, fmt: Format) -> int:
    """Non-blank characters of `body` besides the format's own tags."""
    for tag in _tags(fmt):
        body = body.replace(tag, "")
    return len("".join(body.split()))


def _read_reasoning(text: str, fmt: Format, opened: bool) -> _Reasoning:
    before, tag, after = text.partition(fmt.reasoning_open)
    problems = []
    if opened and tag and not before.strip():
        problems.append(f"{fmt.reasoning_open} is written again although the prompt ends with it")
    elif opened:
        before, after = "", text
    elif not tag or fmt.reasoning_close in before:
        problems.append(f"the reasoning is not opened by {fmt.reasoning_open}")
        if fmt.reasoning_close not in before:
            return _Reasoning(None, text, problems)
        before, after = "", text
    body, closing, tail = after.partition(fmt.reasoning_close)
    if before.strip():
        problems.append("text before the reasoning")
    if not closing:
        problems.append(f"the reasoning is not closed by {fmt.reasoning_close}")
    if fmt.reasoning_open in tail or fmt.reasoning_close in tail:
        problems.append("reasoning tags again after the reasoning")
    return _Reasoning(body.strip() or None, before + _without_reasoning(tail, fmt), problems)


def _without_reasoning(text: str, fmt: Format) -> str:
    """`text` without its reasoning blocks, closed or not."""
    first, *blocks = text.split(fmt.reasoning_open)
    return first + "".join(block.partition(fmt.reasoning_close)[2] for block in blocks)


def _read_answer(text: str, fmt: Format) -> _Answer:
    if not fmt.answer_open:
        return _read_box(text, fmt)
    spans = _answer_spans(text, fmt)
    if not spans:
        return _Answer(None, text, [f"no answer between {fmt.answer_open} and {fmt.answer_close}"])
    start, end = spans[0][0], spans[-1][1]
    bodies = [text[s + len(fmt.answer_open) : e - len(fmt.answer_close)].strip() for s, e in spans]
    problems = []
    if fmt.reasoning_open and text[:start].strip():
        problems.append("text between the reasoning and the answer")
    if text[end:].strip():
        problems.append("text after the answer")
    if len(spans) > 1:
        problems.append(f"{len(spans)} answer blocks")
    if any(tag in body for tag in _tags(fmt) for body in bodies):
        problems.append("a tag inside the answer")
    if fmt.answer_in_box:
        bodies = [_only_box(body) for body in bodies]
    if len(set(bodies)) > 1:
        return _Answer(None, text[:start], [*problems, _several(bodies)])
    if not bodies[0]:
        problems.append("no \\boxed{} in the answer" if fmt.answer_in_box else "the answer is empty")
    return _Answer(bodies[0] or None, text[:start], problems)


def _answer_spans(text: str, fmt: Format) -> list[tuple[int, int]]:
    """Start and end of every answer block, tags included: each closing tag with the opening tag nearest before it."""
    spans = []
    position = 0
    while (close := text.find(fmt.answer_close, position)) >= 0:
        start = text.rfind(fmt.answer_open, position, close)
        position = close + len(fmt.answer_close)
        if start >= 0:
            spans.append((start, position))
    return spans


def _only_box(body: str) -> str:
    boxes = find_boxes(body)
    return boxes.closed[-1].content if boxes.closed and not boxes.unclosed else ""


def _read_box(text: str, fmt: Format) -> _Answer:
    boxes = find_boxes(text)
    if boxes.unclosed:
        return _Answer(None, text, ["the last \\boxed{ is never closed"])
    if not boxes.closed:
        return _Answer(None, text, ["no answer in \\boxed{}"])
    last = boxes.closed[-1]
    problems = []
    if any(character.isalnum() for character in text[last.end :]):
        problems.append("text after the answer")
    # Boxed steps of free reasoning are no rivals of the final box, unless they stand in one breath with it.
    rivals = [b for b in boxes.closed if fmt.reasoning_open or _one_breath(text[b.end : last.start])]
    contents = [box.content for box in (*rivals, last)]
    if len(set(contents)) > 1:
        return _Answer(None, text[: last.start], [*problems, _several(contents)])
    return _Answer(last.content, text[: last.start], problems)


def _one_breath(gap: str) -> bool:
    return len(gap) <= HEDGE_GAP and not any(mark in gap for mark in (".", "!", "?", "\n\n"))


def _several(bodies: list[str]) -> str:
    distinct = list(dict.fromkeys(bodies))
    return f"{len(distinct)} different answers: " + ", ".join(repr(body[:40]) for body in distinct[:4])
