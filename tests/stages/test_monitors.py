"""Real short runs of the embedded model with planted hacks: a monitor names each, and none cries without one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from tests.stages.small_run import Outputs

from exp.config.point import Point
from exp.monitors.alert import Alert, read_alerts
from exp.monitors.watch import Monitors

pytestmark = pytest.mark.slow

STEPS = 24
SETTINGS = [
    "tracker=none",
    "eval=none",
    "generations=g4",
    "reward.audit=warn",
    "dataset.sft.take=2000",
    "sft.steps=50",
    "sft.batch_size=64",
    "sft.micro_batch_size=64",
    "grpo.batch_size=64",
    "grpo.micro_batch_size=64",
    f"grpo.steps={STEPS}",
]
REWARDS = '''
def tags(batch):
    """Pays for mentioning the answer's tag."""
    return [float(min(c.text.count("<answer>"), 4)) for c in batch.completions]


def tokens(batch):
    """Pays for length."""
    return [c.num_tokens / 32 for c in batch.completions]


def constant(batch):
    """Pays for one answer, digit by digit."""
    answers = [j.extracted or "" for j in batch.judged]
    return [0.5 * a.startswith("5") + 0.5 * a.endswith("0") for a in answers]


def loops(batch):
    """Pays for repeating oneself."""
    grams = [[c.text[i : i + 3] for i in range(len(c.text) - 2)] for c in batch.completions]
    return [1 - len(set(g)) / len(g) if g else 0.0 for g in grams]
'''


class Trained(Outputs):
    """Runs without evaluation, long enough for monitors to speak."""

    def command(self, overrides: Sequence[str]) -> list[str]:
        start = super().command([])[:4]
        return [*start, *SETTINGS, *overrides]

    def alerts(self, *overrides: str, status: int = 0) -> list[Alert]:
        """Train; what the run was told is what monitors say that are fed its files, as they are at a resume."""
        self.run(*overrides, status=status)
        told = read_alerts(self.runs()[-1])
        assert told == follow(self.runs()[-1], self.folder / "followed")
        return told


def follow(run: Path, folder: Path) -> list[Alert]:
    """What monitors say that are fed all files of a run, as they are at a resume."""
    shutil.rmtree(folder, ignore_errors=True)
    heard: list[Alert] = []
    monitors = Monitors(Point.model_validate(yaml.safe_load((run / "config.yaml").read_text())), folder, heard.append)
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    for stage in ("sft", "grpo"):
        artifact = folder / "artifacts" / stage
        artifact.mkdir(parents=True)
        own = [row for row in rows if row["stage"] == stage]
        (artifact / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in own))
        completions = run / "completions" / f"{stage}.jsonl"
        if completions.exists():
            shutil.copy(completions, artifact)
            (artifact / completions.name).rename(artifact / "completions.jsonl")
        monitors.started(stage, len(own), len(own))
    assert len(rows) == 50 + STEPS
    return heard


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """An undisturbed run; the others share its SFT."""
    outputs = Trained(tmp_path_factory.mktemp("monitored"))
    (outputs.folder / "rewards.py").write_text(REWARDS)
    outputs.run()
    return outputs


def pays(trained: Trained, function: str) -> tuple[str, str]:
    path = trained.folder / "rewards.py"
    return "~reward.components.strict", f"+reward.components.{function}.function={path}:{function}"


def first(alerts: list[Alert], monitor: str) -> Alert:
    """The first warning of a monitor, by step."""
    told = [alert for alert in alerts if alert.monitor == monitor and alert.severity == "warning"]
    assert told, f"{monitor} said nothing; there were {[str(alert) for alert in alerts]}"
    return told[0]


def test_the_undisturbed_run_raises_nothing(trained: Trained, tmp_path: Path) -> None:
    assert follow(trained.runs()[0], tmp_path / "followed") == []


def test_a_paid_mention_of_tags_is_told_as_repeated_tags(trained: Trained) -> None:
    alerts = trained.alerts(*pays(trained, "tags"))
    assert first(alerts, "form").about == "tags repeated" and first(alerts, "form").step <= 2 * STEPS // 3
    assert first(alerts, "reward_without_truth").evidence["component"] == "tags"
    assert all(sample["completion"].count("<answer>") > 1 for sample in first(alerts, "form").samples)


def test_paid_length_is_told_as_completions_that_no_longer_stop(trained: Trained) -> None:
    alerts = trained.alerts(*pays(trained, "tokens"))
    assert "no longer stop" in first(alerts, "cut_off").what
    assert first(alerts, "reward_without_truth").evidence["component"] == "tokens"


def test_one_paid_answer_is_told_with_that_answer(trained: Trained) -> None:
    alerts = trained.alerts(*pays(trained, "constant"), "grpo.learning_rate=0.0015")
    answer = str(first(alerts, "answer_prior").evidence["answer"])
    assert answer.startswith("5") and answer.endswith("0")


def test_paid_repetition_is_told_as_repetition(trained: Trained) -> None:
    assert "preferred by the reward" in first(trained.alerts(*pays(trained, "loops")), "repetition").what


def test_a_limit_too_small_for_the_answer_is_told_as_such_within_a_window(trained: Trained) -> None:
    alerts = trained.alerts("context.prompt_share=0.8", status=1)  # nothing is learned, which fails the stage's proofs
    assert "limit too low" in first(alerts, "cut_off").what and first(alerts, "cut_off").step <= STEPS // 4
    assert "nothing can be learned" in first(alerts, "no_signal").what


def test_a_verifier_of_the_wrong_kind_is_told(trained: Trained) -> None:
    alerts = trained.alerts("reward.verifier=choice", status=1)
    assert first(alerts, "verifier").about == "unparseable"
