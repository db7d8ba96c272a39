"""The layouts in which people keep training text, recognised by their columns and made into examples.

alpaca             instruction, input (may be empty), output
sharegpt           conversations: [{from, value}, …]
messages           messages or conversations: [{role, content}, …]
prompt_completion  prompt, completion: texts or lists of messages
question_answer    question, answer; reasoning or completion where there is a trace
text               text: ChatML, an Alpaca prompt, or a question followed by a tagged trace
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from exp.config.dataset import Shape, Source
from exp.data.examples import Example, Message, Unusable
from exp.data.readers import Row, column, optional_text, text_column

ROLES = {"human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant", "system": "system"}
CHATML_TURN = re.compile(r"<\|im_start\|>(\w+)\n(.*?)<\|im_end\|>", re.DOTALL)
ALPACA_PROMPT = re.compile(
    r"### Instruction:\s*(?P<instruction>.*?)(?:\s*### Input:\s*(?P<input>.*?))?\s*### Response:\s*(?P<output>.*)",
    re.DOTALL,
)


def detect(row: Row) -> list[Shape]:
    """Every shape this row could be read as; more than one means that the row is ambiguous."""
    return [shape for shape, fits in FITS.items() if fits(row)]


def shape_of(row: Row, wanted: Shape, number: int) -> Shape:
    """The shape to read a source with, decided by one of its rows. Raises `Unusable` if it is none or several."""
    if wanted != "auto":
        return wanted
    found = detect(row)
    if len(found) == 1:
        return found[0]
    if found:
        raise Unusable("ambiguous shape", f"row {number} can be read as {' or as '.join(found)}")
    raise Unusable("unknown shape", f"row {number} has the columns {', '.join(map(str, row)) or '(none)'}")


def example_of(row: Row, shape: Shape, source: Source) -> Example:
    """The row read as `shape`. Raises `Unusable` if a part is missing or the turns are out of order."""
    return READ[shape](row, source)


def _alpaca(row: Row, source: Source) -> Example:
    return _instructed(row, text_column(row, "instruction"), optional_text(row, "input"), text_column(row, "output"))


def _instructed(row: Row, instruction: str, extra: str | None, output: str) -> Example:
    question = f"{instruction.strip()}\n\n{extra.strip()}" if extra and extra.strip() else instruction.strip()
    return _example(row, question, completion=output)


def _sharegpt(row: Row, source: Source) -> Example:
    return _conversation(row, _turns(column(row, "conversations"), "from", "value"))


def _messages(row: Row, source: Source) -> Example:
    turns = column(row, "conversations" if row.get("messages") is None else "messages")
    return _conversation(row, _turns(turns, "role", "content"))


def _prompt_completion(row: Row, source: Source) -> Example:
    prompt, completion = row.get("prompt"), row.get("completion")
    if isinstance(prompt, str) and isinstance(completion, str):
        return _example(row, prompt.strip(), completion=completion)
    if isinstance(prompt, list) and isinstance(completion, list):
        return _conversation(row, _turns([*prompt, *completion], "role", "content"))
    raise Unusable("malformed row", "prompt and completion must both be texts or both be lists of messages")


def _question_answer(row: Row, source: Source) -> Example:
    return _example(row, text_column(row, "question").strip(), optional_text(row, "completion"))


def _text(row: Row, source: Source) -> Example:
    text = text_column(row, "text")
    if turns := [Message(role=role, content=body) for role, body in CHATML_TURN.findall(text)]:
        return _conversation(row, _turns(turns, "role", "content"))
    if found := ALPACA_PROMPT.search(text):
        return _instructed(row, found["instruction"], found["input"], found["output"])
    tag = source.format.reasoning_open if source.format else ""
    question, opening, _ = text.partition(tag) if tag else (text, "", "")
    if not opening or not question.strip():
        why = f"no {tag} after a question" if tag else "no turn markers, and `format` names no opening tag to split at"
        raise Unusable("raw text has no visible border between question and completion", why)
    return _example(row, question.strip(), completion=text[len(question) :])


def _turns(turns: Any, speaker: str, body: str) -> list[Message]:
    """Messages with our role names, an opening system turn left out: the run's format brings its own."""
    if not isinstance(turns, list) or not all(isinstance(turn, Mapping) for turn in turns):
        raise Unusable("malformed row", "the conversation is not a list of messages")
    said: list[Message] = []
    for turn in turns:
        role, content = ROLES.get(str(turn.get(speaker))), turn.get(body)
        if role is None or not isinstance(content, str):
            raise Unusable("malformed row", f"a turn needs `{speaker}` ({', '.join(ROLES)}) and the text `{body}`")
        said.append(Message(role=role, content=content))
    return said[1:] if said and said[0]["role"] == "system" else said


def _conversation(row: Row, turns: Sequence[Message]) -> Example:
    """The last question with its completion, if there is one; what comes before is history."""
    expected = ["user", "assistant"] * (len(turns) // 2 + 1)
    roles = [turn["role"] for turn in turns]
    if not roles or roles != expected[: len(roles)]:
        raise Unusable("malformed row", f"turns must alternate, user first; found {', '.join(roles) or 'none'}")
    completion = turns[-1]["content"] if roles[-1] == "assistant" else None
    asked = len(turns) - 1 if completion is None else len(turns) - 2
    return _example(row, turns[asked]["content"].strip(), completion=completion, history=tuple(turns[:asked]))


def _example(row: Row, question: str, completion: str | None = None, history: tuple[Message, ...] = ()) -> Example:
    """The parts a shape has found, with the columns that may stand beside any shape."""
    if not question:
        raise Unusable("malformed row", "the question is empty")
    answer = row.get("answer")
    return Example(
        id=str(row.get("id") or ""),
        question=question,
        answer=None if answer is None else str(answer).strip(),
        reasoning=optional_text(row, "reasoning"),
        completion=completion if completion and completion.strip() else None,
        kind=optional_text(row, "kind"),
        history=history,
        subject=optional_text(row, "subject"),
        type=optional_text(row, "type"),
    )


def _list_of(row: Row, name: str, key: str) -> bool:
    value = row.get(name)
    return isinstance(value, list) and bool(value) and isinstance(value[0], Mapping) and key in value[0]


def _texts(*names: str) -> Callable[[Row], bool]:
    return lambda row: all(row.get(name) is not None for name in names)


FITS: dict[Shape, Callable[[Row], bool]] = {
    "alpaca": _texts("instruction", "output"),
    "sharegpt": lambda row: _list_of(row, "conversations", "from"),
    "messages": lambda row: _list_of(row, "messages", "role") or _list_of(row, "conversations", "role"),
    "prompt_completion": _texts("prompt", "completion"),
    "question_answer": _texts("question", "answer"),
    "text": _texts("text"),
}

READ: dict[Shape, Callable[[Row, Source], Example]] = {
    "alpaca": _alpaca,
    "sharegpt": _sharegpt,
    "messages": _messages,
    "prompt_completion": _prompt_completion,
    "question_answer": _question_answer,
    "text": _text,
}
