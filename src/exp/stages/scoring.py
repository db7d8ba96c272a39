"""Our rewards as TRL reward functions: each component, the strict truth beside them, every completion on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exp.rewards.judge import Completion, Judged, Verdict, judge
from exp.rewards.library import Batch, score
from exp.stages.run import Run

TRUTH = "truth"
"""Right answer by the dataset's own verifier in a well-formed completion, logged beside the reward with weight 0."""

COLUMNS = ("id", "question", "gold", "kind", "subject", "type")


class Scorer:
    """Judges each generated batch once and answers TRL's calls for one component after the other."""

    def __init__(self, run: Run, stage: str, folder: Path) -> None:
        self.run = run
        self.stage = stage
        self.folder = folder
        self.reward = run.point.reward
        self._batch: Sequence[Any] = ()
        self._scores: dict[str, list[float | None]] = {}

    def functions(self) -> list[Any]:
        """One function per component and one for the truth, named as TRL logs them."""
        return [self._function(name) for name in (*self.reward.components, TRUTH)]

    def weights(self) -> list[float]:
        """TRL `reward_weights`, in the order of `functions`."""
        return [component.weight for component in self.reward.components.values()] + [0.0]

    def _function(self, name: str) -> Any:
        def component(
            completions: Any, completion_ids: Any, trainer_state: Any, log_metric: Any, **columns: Any
        ) -> list[float | None]:
            if self._batch is not completions:
                self._batch = completions
                self._scores = self._score(
                    completions, completion_ids, trainer_state.global_step + 1, log_metric, columns
                )
            return self._scores[name]

        component.__name__ = name
        return component

    def _score(
        self, completions: Any, completion_ids: Any, step: int, log_metric: Any, columns: dict[str, Any]
    ) -> dict[str, list[float | None]]:
        stops = set(self.run.prompts.stop_ids)
        opened = self.run.prompts.opened
        read = [
            Completion(c[0]["content"], ended=bool(ids) and ids[-1] in stops, opened=opened, num_tokens=len(ids))
            for c, ids in zip(completions, completion_ids, strict=True)
        ]
        rows = [{name: columns[name][i] for name in COLUMNS} for i in range(len(read))]
        golds, kinds = [row["gold"] for row in rows], [self.reward.verifier or row["kind"] for row in rows]
        judged = judge(read, golds, kinds, self.run.point.format)
        scores = score(Batch(read, judged, golds, rows), self.reward)
        # The truth is the dataset's own verifier, whichever the reward uses.
        strict = (
            judge(read, golds, [row["kind"] for row in rows], self.run.point.format) if self.reward.verifier else judged
        )
        scores[TRUTH] = [float(j.verdict is Verdict.RIGHT and j.well_formed) for j in strict]
        log_metric("accuracy", _mean([j.verdict is Verdict.RIGHT for j in judged]))
        log_metric("format", _mean([j.well_formed for j in judged]))
        log_metric("cut_off", _mean([not c.ended for c in read]))
        self._write(step, rows, read, judged, scores)
        return scores

    def _write(
        self,
        step: int,
        rows: list[dict[str, Any]],
        read: list[Completion],
        judged: list[Judged],
        scores: dict[str, list[float | None]],
    ) -> None:
        weights = {name: c.weight for name, c in self.reward.components.items()}
        written = []
        for i, (row, completion, verdict) in enumerate(zip(rows, read, judged, strict=True)):
            components = {name: values[i] for name, values in scores.items()}
            reward = sum(weight * (components[name] or 0.0) for name, weight in weights.items())
            columns = {"step": step, "id": row["id"], "question": row["question"], "gold": row["gold"]}
            written.append(columns | completion_row(completion, verdict) | {"reward": reward, "components": components})
        self.run.record.completions(self.folder, self.stage, written)


def completion_row(completion: Completion, judged: Judged) -> dict[str, Any]:
    """What is kept of a judged completion."""
    return {
        "completion": completion.text,
        "extracted": judged.extracted,
        "verdict": str(judged.verdict),
        "well_formed": judged.well_formed,
        "reason": judged.reason,
        "problems": list(judged.problems),
        "tokens": completion.num_tokens,
        "ended": completion.ended,
    }


def _mean(values: Sequence[bool]) -> float:
    return sum(values) / len(values)
