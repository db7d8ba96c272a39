"""One use on its way from source to file: the checks a row passes, in order, and what is counted meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from exp.config.contracts import Context, Format
from exp.config.dataset import Dataset
from exp.contract.context import lengths
from exp.data.examples import Example, RLRow, SetAside, SFTRow, Unusable
from exp.data.heldout import EvalQuestions, HeldOut
from exp.data.ledger import Ledger
from exp.data.measure import Measured
from exp.data.prompts import PromptBuilder
from exp.data.questions import Duplicates, masked_digest, question_digest
from exp.data.rows import rl_row, sft_row
from exp.data.sources import Opened, Read
from exp.data.storage import RowWriter
from exp.errors import Problem, Refused

TELL_EVERY = 100

Progress = Callable[[str, int, int, int | None], None]
"""Called with use, rows read, rows kept, and the number of rows wanted (None: all)."""


class Preparation:
    """One use on its way: the checks a row passes, in order, and what is counted meanwhile."""

    def __init__(
        self,
        use: str,
        dataset: Dataset,
        fmt: Format,
        context: Context,
        builder: PromptBuilder,
        held_out: HeldOut,
        evaluated: EvalQuestions,
    ) -> None:
        self._use = use
        self._fmt = fmt
        self._limits = lengths(context)
        self._builder = builder
        self._held_out = held_out
        self._evaluated = evaluated
        self._measured = Measured(context)
        copies = dataset.traces_per_question if use == "sft" else 1
        self._duplicates = Duplicates(dataset.near_duplicate, copies)
        self._ids: set[str] = set()
        self._overlap = {"exact": 0, "numbers_masked": 0}

    def run(
        self, opened: Opened, seed: int, folder: Path, dropped: IO[str], progress: Progress | None
    ) -> dict[str, Any]:
        """Read, check and write the rows of this use; returns its part of the report."""
        ledger = Ledger(self._use, dropped)
        wanted = opened.source.take
        with RowWriter(folder, self._use) as writer:
            for read in opened.read(seed):
                ledger.read += 1
                try:
                    row = self._checked(read, opened)
                except SetAside:
                    ledger.set_aside += 1
                except Unusable as problem:
                    ledger.drop(read.number, read.example.id if read.example else "", problem)
                else:
                    writer.write(row)
                    ledger.kept += 1
                if progress and ledger.read % TELL_EVERY == 0:
                    progress(self._use, ledger.read, ledger.kept, wanted)
                if ledger.kept == wanted:
                    break
        if progress:
            progress(self._use, ledger.read, ledger.kept, wanted)
        if ledger.kept == 0:
            raise Refused(self._nothing_left(opened, ledger))
        return self._report(opened, ledger)

    def _checked(self, read: Read, opened: Opened) -> dict[str, Any]:
        if read.example is None:
            assert read.problem is not None
            raise read.problem
        example = read.example
        self._check_split(example, opened)
        row = self._row(example, opened)
        answer = row.answer if isinstance(row, SFTRow) else row.gold
        if reason := self._duplicates.reason(row.question, answer):
            raise Unusable(reason)
        columns = self._tokenized(row) | {"id": self._unique(row.id, read.number)}
        self._duplicates.keep(row.question, answer)
        if self._use == "eval":
            self._evaluated.add(row.question)
        return columns

    def _check_split(self, example: Example, opened: Opened) -> None:
        """Held-out questions go to evaluation and nothing else does; evaluated questions are never trained on."""
        own = question_digest(example.question)
        owner = self._held_out.owner(opened, own)
        if owner is not None and (owner == "eval") != (self._use == "eval"):
            raise SetAside
        if self._use == "eval":
            return
        self._overlap["numbers_masked"] += masked_digest(example.question) in self._evaluated.masked
        if own in self._evaluated.exact:
            self._overlap["exact"] += 1
            raise Unusable("question is evaluated")

    def _row(self, example: Example, opened: Opened) -> SFTRow | RLRow:
        if self._use == "sft":
            return sft_row(example, opened.source, self._fmt, opened=self._builder.opened)
        return rl_row(example, opened.source, self._fmt)

    def _tokenized(self, row: SFTRow | RLRow) -> dict[str, Any]:
        """The row's columns. Raises `Unusable` if the text spells a control token or exceeds the context contract."""
        messages = self._builder.messages(row.question, row.history)
        completion_text = row.completion if isinstance(row, SFTRow) else ""
        for text in (*(message["content"] for message in messages), completion_text):
            if token := self._builder.control_token(text):
                raise Unusable("text spells a control token", token)
        prompt = self._builder.prompt_ids(messages)
        common = {"question": row.question, "kind": row.kind, "prompt_tokens": len(prompt)}
        if isinstance(row, RLRow):
            self._measured.add(len(prompt))
            self._check_lengths(len(prompt), 0)
            return common | {"gold": row.gold, "prompt": messages, "subject": row.subject, "type": row.type}
        completion = self._builder.completion_ids(row.completion)
        self._measured.add(len(prompt), len(completion))
        self._check_lengths(len(prompt), len(completion))
        return common | {
            "answer": row.answer,
            "prompt": self._builder.prompt_text(messages),
            "completion": row.completion,
            "input_ids": prompt + completion,
            "completion_mask": [0] * len(prompt) + [1] * len(completion),
        }

    def _unique(self, identifier: str, number: int) -> str:
        """The source's own id, or one made different by the row's number where the source repeats itself."""
        unique = f"{identifier}-row-{number}" if identifier in self._ids else identifier
        self._ids.add(unique)
        return unique

    def _check_lengths(self, prompt: int, completion: int) -> None:
        if prompt > self._limits.prompt:
            raise Unusable("prompt too long", f"{prompt} tokens, the prompt budget is {self._limits.prompt}")
        if prompt + completion > self._limits.total:
            raise Unusable("sequence too long", f"{prompt + completion} tokens, the budget is {self._limits.total}")

    def _report(self, opened: Opened, ledger: Ledger) -> dict[str, Any]:
        source = opened.source.model_dump(exclude_none=True, exclude_defaults=True)
        source["files"] = [file.name for file in opened.files]
        report = {"source": source, **ledger.report(), **self._measured.report()}
        return report if self._use == "eval" else report | {"overlap_with_eval": self._overlap}

    def _nothing_left(self, opened: Opened, ledger: Ledger) -> Problem:
        return Problem(f"no row is left for {self._use}: {ledger.summary()}", opened.where, self._cure(ledger))

    def _cure(self, ledger: Ledger) -> str:
        reasons = ledger.report()["dropped"]
        main = next(iter(reasons), "")
        cures = {
            "no reasoning trace": "sft=none, or a dataset with traces such as dataset=gsm8k",
            "no answer to verify against": "grpo=none, or map the answer: 'dataset.rl.columns={THEIRS: answer}'",
            "answer does not verify against itself": "choose another verifier: dataset.rl.kind=exact",
            "trace is not in the source's format": f"name their tags: 'dataset.{self._use}.format={{...}}'",
            "prompt too long": f"context.total={self._measured.report()['smallest_total'].get('keeps_95')}",
            "sequence too long": f"context.total={self._measured.report()['smallest_total'].get('keeps_95')}",
        }
        return cures.get(main, "")
