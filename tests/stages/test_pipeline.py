"""A whole run, as a user sees it: what it leaves, what it reuses, what can be switched off."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from safetensors.torch import load_file
from tests.stages.small_run import Outputs

EVAL_KEYS = {"dataset", "n", "accuracy", "ci95", "format_rate", "truncated_rate", "mean_tokens", "outcomes", "seconds"}


def test_a_run_leaves_its_result_report_metrics_and_every_completion(finished: Outputs) -> None:
    folder = finished.runs()[0]
    result = finished.result()
    assert {stage: facts["status"] for stage, facts in result["stages"].items()} == dict.fromkeys(
        ("data", "sft", "grpo", "eval"), "done"
    )
    assert set(result["eval"]) == {"base", "sft", "grpo"}
    assert all(set(facts) >= EVAL_KEYS for facts in result["eval"].values())
    assert result["eval"]["base"]["accuracy"] == 0.0, "the base model knows nothing of the tags"
    metrics = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in metrics if row["stage"] == "sft"] == list(range(1, 21))
    grpo = [row for row in metrics if row["stage"] == "grpo"]
    assert [row["step"] for row in grpo] == list(range(1, 9))
    assert set(grpo[0]) >= {"reward", "rewards/marks", "rewards/format", "truth", "accuracy", "cut_off", "loss"}
    rollouts = [json.loads(line) for line in (folder / "completions" / "grpo.jsonl").read_text().splitlines()]
    assert len(rollouts) == 8 * 32, "every completion of every step is kept"
    assert set(rollouts[0]) >= {"question", "gold", "completion", "extracted", "verdict", "reward", "components"}
    answers = [json.loads(line) for line in (folder / "eval" / "grpo.jsonl").read_text().splitlines()]
    assert len(answers) == 40 + 2 * 40
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert json.loads((folder / "status.json").read_text())["state"] == "done"


def test_the_training_reward_logged_is_the_weighted_sum_of_the_components_kept(finished: Outputs) -> None:
    folder = finished.runs()[0]
    rollouts = [json.loads(line) for line in (folder / "completions" / "grpo.jsonl").read_text().splitlines()]
    first = [row for row in rollouts if row["step"] == 1]
    metrics = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    logged = next(row for row in metrics if row["stage"] == "grpo" and row["step"] == 1)
    assert abs(sum(row["reward"] for row in first) / len(first) - logged["reward"]) < 1e-4
    weighted = [0.8 * row["components"]["marks"] + 0.2 * row["components"]["format"] for row in first]
    assert all(abs(w - row["reward"]) < 1e-9 for w, row in zip(weighted, first, strict=True))


def test_the_same_command_again_makes_nothing_twice_and_overwrites_nothing(copied: Callable[..., Outputs]) -> None:
    outputs = copied()
    before, artifacts = outputs.runs(), outputs.artifacts()
    first = outputs.result()
    output = outputs.run().stdout
    assert outputs.artifacts() == artifacts
    assert len(outputs.runs()) == 2 and outputs.runs()[0] == before[0]
    again = outputs.result()
    assert again["eval"] == first["eval"] and again["comparisons"] == first["comparisons"]
    assert all(stage["reused"] for stage in again["stages"].values())
    assert "reused" in output
    old, new = ((run / "metrics.jsonl").read_text() for run in outputs.runs())
    assert old == new


def test_another_reward_trains_grpo_again_and_nothing_before_it(copied: Callable[..., Outputs]) -> None:
    outputs = copied()
    before = outputs.artifacts()
    outputs.run("reward.components.format.weight=0.3")
    new = {name.split("/")[0] for name in outputs.artifacts() if name not in before}
    assert new == {"grpo", "eval"}
    assert outputs.artifacts().items() >= before.items()


def test_an_evaluation_option_trains_nothing(copied: Callable[..., Outputs]) -> None:
    outputs = copied()
    before = outputs.artifacts()
    outputs.run("eval.questions=10")
    assert {name.split("/")[0] for name in outputs.artifacts() if name not in before} == {"eval"}


def test_sft_alone_and_grpo_from_its_run_id_share_the_trained_model(copied: Callable[..., Outputs]) -> None:
    outputs = copied(without=["grpo"])
    outputs.run("grpo=none")
    alone = outputs.result()
    assert alone["stages"]["grpo"] == {"status": "off"} and alone["stages"]["sft"]["reused"]
    started = outputs.runs()[-1].name
    outputs.run("sft=none", f"grpo.start_from={started}", "generations=g4")
    result = outputs.result()
    assert result["stages"]["sft"] == {"status": "off"}
    manifest = json.loads((outputs.runs()[-1] / "artifacts" / "grpo" / "manifest.json").read_text())
    assert manifest["inputs"]["model"] == f"sft/{alone['stages']['sft']['id']}"


def test_grpo_continues_the_sft_adapter_from_where_it_was_and_changes_it(finished: Outputs) -> None:
    artifacts = finished.runs()[0] / "artifacts"
    proofs = json.loads((artifacts / "grpo" / "manifest.json").read_text())["facts"]["proofs"]
    assert proofs["kl_at_step_0"] < 1e-6
    assert proofs["kl_from_start"] > 0 and proofs["adapter_effect"] > 0
    sft, grpo = (load_file(artifacts / stage / "adapter" / "adapter_model.safetensors") for stage in ("sft", "grpo"))
    assert set(sft) == set(grpo)
    assert any((sft[name] != grpo[name]).any() for name in sft)


def test_another_rank_is_refused_with_both_ways_out_and_merging_works(copied: Callable[..., Outputs]) -> None:
    outputs = copied(without=["grpo"])
    sft = outputs.result()["stages"]["sft"]["id"]
    refused = outputs.run("sft=none", f"grpo.start_from=sft/{sft}", "lora.rank=4", status=1)
    assert "rank 16" in refused.stderr and "rank 4" in refused.stderr
    assert "lora.rank=16" in refused.stderr and "grpo.merge_adapter=true" in refused.stderr
    outputs.run("sft=none", f"grpo.start_from=sft/{sft}", "lora.rank=4", "grpo.merge_adapter=true")
    facts = json.loads((outputs.runs()[-1] / "artifacts" / "grpo" / "manifest.json").read_text())["facts"]
    assert facts["proofs"]["kl_at_step_0"] < 1e-4, "merging leaves the policy as it was"
    assert outputs.result()["eval"]["grpo"]["n"] == 40


def test_full_fine_tuning_leaves_weights_that_load_again(outputs: Outputs) -> None:
    outputs.run("lora=none", "sft.learning_rate=4e-3", "sft.steps=40", "grpo.learning_rate=1e-3")
    artifacts = outputs.runs()[-1] / "artifacts"
    assert sorted(f.name for f in (artifacts / "grpo").iterdir() if f.is_dir()) == ["weights"]
    assert list((artifacts / "grpo" / "weights").glob("*.safetensors"))
    assert outputs.result()["eval"]["grpo"]["n"] == 40


def test_grpo_in_two_phases_leaves_two_artifacts_the_second_made_from_the_first(copied: Callable[..., Outputs]) -> None:
    outputs = copied(without=["grpo"])
    outputs.run("grpo.phases=[{steps: 4, context_total: 72}, {steps: 4}]")
    stage = outputs.result()["stages"]["grpo"]
    first, second = (stage["parts"][number]["id"] for number in ("1", "2"))
    manifest = json.loads((outputs.runs()[-1] / "artifacts" / "grpo_2" / "manifest.json").read_text())
    assert stage["id"] == second and manifest["inputs"]["model"] == f"grpo/{first}"
    steps = [json.loads(line) for line in (outputs.runs()[-1] / "metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in steps if row["stage"] == "grpo:2"] == [1, 2, 3, 4]


def test_every_format_trains_and_is_learnt_in_its_own_words(outputs: Outputs) -> None:
    for fmt in ("working_out", "think_boxed", "boxed"):
        outputs.run(f"format={fmt}", "grpo=none", "context.total=120", "sft.steps=80")
        row = json.loads((outputs.runs()[-1] / "eval" / "sft.jsonl").read_text().splitlines()[0])
        mark = {"working_out": "<SOLUTION>", "think_boxed": "\\boxed", "boxed": "\\boxed"}[fmt]
        assert mark in row["completion"], row["completion"]


def test_a_reward_that_pays_for_tags_is_refused_before_anything_is_trained(outputs: Outputs, tmp_path: Path) -> None:
    tags = '("<think>", "</think>", "<answer>", "</answer>")'
    source = f"def tags(batch):\n    return [float(all(t in c.text for t in {tags})) for c in batch.completions]\n"
    (tmp_path / "tags.py").write_text(source)
    words = ["reward=strict", f"reward.components.strict.function={tmp_path}/tags.py:tags"]
    refused = outputs.run(*words, status=1)
    assert "tags at the end" in refused.stderr and "reward.audit=warn" in refused.stderr
    assert not (outputs.folder / "store" / "sft").exists()
    outputs.run(*words, "reward.audit=warn")
    found = json.loads((outputs.runs()[-1] / "audit.json").read_text())
    assert any("tags at the end" in problem for problem in found["problems"])


def test_the_truth_is_the_datasets_own_verdict_whatever_verifier_the_reward_uses(
    copied: Callable[..., Outputs], tmp_path: Path
) -> None:
    outputs = copied(without=["grpo"])
    (tmp_path / "lax.py").write_text("def lax(answer, gold):\n    return True\n")
    outputs.run(f"reward.verifier={tmp_path}/lax.py:lax", "reward.audit=warn")
    lines = (outputs.runs()[-1] / "completions" / "grpo.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    formed = [row for row in rows if row["well_formed"]]
    assert formed and all(row["verdict"] == "right" for row in formed)
    assert {row["components"]["truth"] for row in formed} == {float(row["extracted"] == row["gold"]) for row in formed}
    assert any(row["components"]["truth"] == 0 for row in formed)
