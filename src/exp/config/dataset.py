"""The dataset group: where the rows of SFT, GRPO and evaluation come from, and what is done to them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from exp.config.contracts import Format
from exp.config.group import Group

Shape = Literal["auto", "alpaca", "sharegpt", "messages", "prompt_completion", "question_answer", "text"]


class Source(Group):
    """One stream of rows, from the hub, from local files, or generated."""

    name: str
    """Reader in the table of `exp.data.sources`, or `path/to/file.py:function`. `rows` reads any known shape."""
    hub_id: str | None = None
    """Dataset on the Hugging Face hub, such as `openai/gsm8k`."""
    subset: str | None = None
    """Configuration of the hub dataset, such as `main`."""
    split: str = "train"
    """Split on the hub; also how a file is found inside a folder."""
    revision: str | None = None
    """Branch, tag or commit on the hub. A commit makes a run repeatable for ever."""
    path: str | None = None
    """Local file or folder used instead of the hub; same code, no network."""
    columns: dict[str, str] = Field(default_factory=dict)
    """Column names of the source, each mapped to the name used here: `{Frage: question, Loesung: answer}`."""
    shape: Shape = "auto"
    """Layout of the rows for `name: rows`; `auto` decides by the columns and refuses what fits two."""
    kind: str | None = None
    """How answers are verified: `exact`, `integer`, `number`, `math`, `choice`, …; the reader's own when unset."""
    format: Format | None = None
    """Tags the traces of this source carry. They are rewritten into the run's format; unset: the run's format."""
    take: int | None = Field(default=None, ge=1)
    """Rows kept: reading stops once this many have passed every check. All of them when unset."""
    shuffle: bool = False
    """Read in a seeded random order instead of the source's own, so that `take` is a sample."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Keyword arguments of the reader, or of the function besides `split` and `seed`."""


class Dataset(Group):
    """Rows for three uses: traces to imitate (sft), questions to practise on (rl), questions that measure (eval)."""

    name: str
    """Name in tables and reports."""
    path: str | None = None
    """Local file or folder for every source below that names none. A single file feeds all uses, with a hold-out."""
    sft: Source | None = None
    """Questions with reasoning traces; without it there is no SFT."""
    rl: Source | None = None
    """Questions with verifiable answers; without it there is no GRPO."""
    eval: Source
    """Held-out questions with verifiable answers."""
    holdout: int = Field(default=200, ge=1)
    """Questions set aside for evaluation where it would read the same rows as training."""
    holdout_seed: int = 0
    """Seed of the hold-out and of a shuffled evaluation; not the run's seed, so that all seeds are measured alike."""
    near_duplicate: float | None = Field(default=0.9, gt=0.5, le=1)
    """Questions this similar (Jaccard of three-word shingles) with equal answers are duplicates; unset: exact ones."""
    traces_per_question: int = Field(default=1, ge=1)
    """Different traces of one question that SFT keeps."""
