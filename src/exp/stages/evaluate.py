"""The evaluation stage: held-out questions, greedily and sampled, judged by the format and verifiers of training."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from exp.contract.context import lengths
from exp.data.storage import read_rows
from exp.models.load import place
from exp.models.policy import load_policy
from exp.rewards.judge import Verdict, judge
from exp.stages.files import read_rows as read_lines
from exp.stages.files import write_text
from exp.stages.generate import Sampling, generate
from exp.stages.plan import EVAL_SEED, Step
from exp.stages.policies import policy_of
from exp.stages.run import Run
from exp.stages.scoring import completion_row
from exp.statistics import clustered_interval, wilson


def run_eval(run: Run, step: Step, folder: Path) -> dict[str, Any]:
    """Answer and judge every question, batch by batch, and return the summary.

    Batches that are on disk already are not asked again.
    """
    questions = read_rows(run.store.root / "data" / step.inputs["data"], "eval")[: run.point.eval.questions]
    batches = list(_batches(run, questions))
    rows_file = folder / "completions.jsonl"
    done = _whole_batches(rows_file, [len(batch) * sampling.samples for _, sampling, batch in batches])
    run.record.started(step.name, len(batches), done)
    if done < len(batches):
        model = load_policy(policy_of(run, step.inputs["model"]), run.point.model, run.point.backend)
        place(model).eval()
    for number, (mode, sampling, batch) in enumerate(batches):
        if number < done:
            continue
        run.stopper.check()
        prompts = [run.prompts.prompt_ids(q["prompt"]) for q in batch]
        written = generate(
            model, run.tokenizer, prompts, run.prompts.stop_ids, run.prompts.opened, sampling, EVAL_SEED + number
        )
        rows = []
        for question, completions in zip(batch, written, strict=True):
            kind = run.point.reward.verifier or question["kind"]
            judged = judge(
                completions, [question["gold"]] * len(completions), [kind] * len(completions), run.point.format
            )
            for completion, verdict in zip(completions, judged, strict=True):
                rows.append(
                    _row(step, number, mode, question) | completion_row(completion, verdict) | {"score": verdict.score}
                )
        run.record.completions(folder, step.name, rows)
        run.record.progress(step.name, number + 1)
    return summary(list(read_lines(rows_file)), run.point.dataset.name)


def summary(rows: Sequence[dict[str, Any]], dataset: str) -> dict[str, Any]:
    """Numbers of one model: accuracies with their intervals, and what went wrong.

    The greedy accuracy has a Wilson interval, the sampled one an interval clustered by question.
    """
    greedy = [r for r in rows if r["mode"] == "greedy"]
    sampled = [r for r in rows if r["mode"] == "sampled"]
    main = greedy or sampled
    result: dict[str, Any] = {
        "dataset": dataset,
        "n": len({r["id"] for r in rows}),
        "mode": "greedy" if greedy else "sampled",
    }
    per_sample = _sampled(sampled)
    if greedy:
        right = sum(_is_right(r) for r in greedy)
        result |= {"accuracy": right / len(greedy), "ci95": list(wilson(right, len(greedy)))}
    elif per_sample:
        result |= {"accuracy": per_sample["accuracy"], "ci95": per_sample["ci95"]}
    tokens = sorted(r["tokens"] for r in main)
    return result | {
        "score": _mean([r["score"] for r in main]),
        "format_rate": _mean([r["well_formed"] for r in main]),
        "truncated_rate": _mean([not r["ended"] for r in main]),
        "mean_tokens": _mean(tokens),
        "p95_tokens": tokens[int(0.95 * (len(tokens) - 1))],
        "outcomes": dict(Counter(r["verdict"] for r in main).most_common()),
        "sampled": per_sample,
    }


def _sampled(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    if not rows:
        return None
    by_question: dict[str, list[bool]] = {}
    for row in rows:
        by_question.setdefault(row["id"], []).append(_is_right(row))
    means = [_mean(answers) for answers in by_question.values()]
    return {"samples": len(rows) // len(means), "accuracy": _mean(means), "ci95": list(clustered_interval(means))}


def _batches(run: Run, questions: list[dict[str, Any]]) -> Iterator[tuple[str, Sampling, list[dict[str, Any]]]]:
    """Greedy batches first, then sampled ones, of `engine.batch_size` sequences at most (at least one question)."""
    group, limit = run.point.eval, lengths(run.point.context).completion
    modes = [("greedy", Sampling(limit))] if group.greedy else []
    if group.samples:
        modes.append(("sampled", Sampling(limit, group.temperature, group.top_p, group.samples)))
    for mode, sampling in modes:
        size = max(1, run.point.engine.batch_size // sampling.samples)
        for first in range(0, len(questions), size):
            yield mode, sampling, questions[first : first + size]


def _whole_batches(file: Path, sizes: Sequence[int]) -> int:
    """How many batches, of `sizes` rows, are completely on disk; rows of one that was interrupted are removed."""
    rows = list(read_lines(file))
    done, kept = 0, 0
    while done < len(sizes) and kept + sizes[done] <= len(rows):
        kept += sizes[done]
        done += 1
    if file.exists():
        write_text(file, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows[:kept]))
    return done


def _row(step: Step, number: int, mode: str, question: dict[str, Any]) -> dict[str, Any]:
    columns = {name: question[name] for name in ("id", "question", "gold", "subject", "type")}
    return {"model": step.variant, "mode": mode, "batch": number, **columns}


def _is_right(row: dict[str, Any]) -> bool:
    return row["verdict"] == Verdict.RIGHT


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
