"""What a source yields, and the two kinds of rows made of it: traces to imitate, questions with a verifiable answer.

They are different types because they are different things: no row can slip into the wrong training stage.
"""

from __future__ import annotations

from dataclasses import dataclass

Message = dict[str, str]
"""One message of a conversation: `role` (`system`, `user` or `assistant`) and `content`."""


@dataclass(frozen=True)
class Example:
    """One row as read. Which fields are set decides what it can be used for."""

    id: str
    question: str
    answer: str | None = None
    """The final answer: what the trace arrives at, and the gold for GRPO and evaluation."""
    reasoning: str | None = None
    """The trace without any tags."""
    completion: str | None = None
    """A whole completion with the source's own tags, where `reasoning` is not separate."""
    kind: str | None = None
    """How `answer` is verified."""
    history: tuple[Message, ...] = ()
    """Earlier turns of the conversation."""
    subject: str | None = None
    type: str | None = None


@dataclass(frozen=True)
class SFTRow:
    """A question and the completion to imitate."""

    id: str
    question: str
    answer: str
    """What the completion answers."""
    kind: str
    history: tuple[Message, ...]
    completion: str
    """In the run's format; without the opening tag if the chat template writes it."""


@dataclass(frozen=True)
class RLRow:
    """A question and its gold answer, which verifies against itself. Evaluation uses the same type."""

    id: str
    question: str
    gold: str
    kind: str
    history: tuple[Message, ...] = ()
    subject: str | None = None
    type: str | None = None


class Unusable(Exception):
    """This row cannot be used. `reason` is one of few, to be counted; `detail` says what is wrong with this one."""

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(f"{reason}: {detail}" if detail else reason)


class SetAside(Exception):
    """A sound row that belongs to another use: held out for evaluation, or left for training."""
