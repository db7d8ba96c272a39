"""One row on its way from the source to tokens: as read, as messages, as text, as tokens with the loss mask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from exp.config.contracts import Format
from exp.config.dataset import Dataset
from exp.data.examples import Message, RLRow, SFTRow, Unusable
from exp.data.prompts import PromptBuilder
from exp.data.rows import rl_row, sft_row
from exp.data.sources import Read, open_source
from exp.errors import refuse

OPEN, CLOSE = "⟦", "⟧"


@dataclass(frozen=True)
class Token:
    """One token's text, its id, and whether loss is taken on it."""

    text: str
    id: int
    learnt: bool


@dataclass(frozen=True)
class Shown:
    """The stations of one row; `problem` says why the later ones are empty."""

    raw: dict[str, Any]
    id: str = ""
    messages: tuple[Message, ...] = ()
    answer: str = ""
    kind: str = ""
    prompt: str = ""
    completion: str = ""
    tokens: tuple[Token, ...] = ()
    problem: str = ""


def read_row(dataset: Dataset, use: str, number: int, seed: int) -> Read:
    """Row `number` (from 1) of the source of `use`. Raises `Refused` if there are fewer."""
    opened = open_source(dataset, use)
    read = next(islice(opened.read(seed), number - 1, None), None) if number > 0 else None
    if read is None:
        raise refuse(f"there is no row {number}", opened.where, "--row 1")
    return read


def show_row(read: Read, use: str, dataset: Dataset, fmt: Format, builder: PromptBuilder) -> Shown:
    """What becomes of a row that was read for `use`; lengths and duplicates are not looked at."""
    source = getattr(dataset, use)
    raw = dict(read.raw)
    if read.example is None:
        return Shown(raw, problem=str(read.problem))
    try:
        if use == "sft":
            row: SFTRow | RLRow = sft_row(read.example, source, fmt, opened=builder.opened)
        else:
            row = rl_row(read.example, source, fmt)
    except Unusable as problem:
        return Shown(raw, read.example.id, problem=str(problem))
    messages = builder.messages(row.question, row.history)
    completion = row.completion if isinstance(row, SFTRow) else ""
    return Shown(
        raw,
        row.id,
        tuple(messages),
        row.answer if isinstance(row, SFTRow) else row.gold,
        row.kind,
        builder.prompt_text(messages),
        completion,
        tuple(tokens_of(builder, messages, completion)),
    )


def tokens_of(builder: PromptBuilder, messages: Sequence[Message], completion: str) -> list[Token]:
    """Tokens of the training sequence, or of the prompt alone where there is no completion."""
    prompt = builder.prompt_ids(messages)
    target = builder.completion_ids(completion) if completion else []
    return [Token(builder.decode([i]), i, position >= len(prompt)) for position, i in enumerate(prompt + target)]


def marked(tokens: Sequence[Token]) -> str:
    """Tokens as plain text, separated by `|`, those that carry loss between ⟦ and ⟧."""
    return "|".join(f"{OPEN}{token.text}{CLOSE}" if token.learnt else token.text for token in tokens)
