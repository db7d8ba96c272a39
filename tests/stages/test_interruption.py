"""Killing a run at any moment: the same command goes on, and the result is that of an undisturbed run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file
from tests.stages.small_run import Outputs

NOT_COMPARED = ("time", "step_time")


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str], what: str) -> None:
    """Wait until the condition holds; fail if the process ends before."""
    for _ in range(6000):
        if condition():
            return
        if process.poll() is not None:
            break
        time.sleep(0.02)
    out, err = process.communicate(timeout=10)
    pytest.fail(f"{what} did not happen (exit status {process.returncode})\n{out}\n{err}")


def rows_of(outputs: Outputs, stage: str, file: str = "metrics.jsonl") -> int:
    """Rows that a stage in progress has written."""
    return sum(f.read_bytes().count(b"\n") for f in (outputs.folder / "store" / stage).glob(f"*.partial/{file}"))


def metrics(run: Path) -> list[dict[str, Any]]:
    """Rows of `metrics.jsonl` without what depends on the clock."""
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [{name: value for name, value in row.items() if name not in NOT_COMPARED} for row in rows]


def assert_same_outcome(outputs: Outputs, finished: Outputs) -> None:
    """Adapters, metrics and completions equal those of the undisturbed run, bit by bit."""
    run, reference = outputs.runs()[-1], finished.runs()[0]
    for stage in ("sft", "grpo"):
        file = f"artifacts/{stage}/adapter/adapter_model.safetensors"
        ours, theirs = load_file(run / file), load_file(reference / file)
        assert all((ours[name] == theirs[name]).all() for name in theirs), f"{stage} adapter differs"
    assert metrics(run) == metrics(reference)
    for name in ("completions/grpo.jsonl", "eval/base.jsonl", "eval/sft.jsonl", "eval/grpo.jsonl"):
        assert (run / name).read_text() == (reference / name).read_text(), name
    assert outputs.result()["eval"].keys() == finished.result()["eval"].keys()


MOMENTS: dict[str, Callable[[Outputs], bool]] = {
    "while the data are prepared": lambda o: (o.folder / "store" / "data").exists(),
    "while the base model is evaluated": lambda o: rows_of(o, "eval", "completions.jsonl") >= 16,
    "in SFT before the first checkpoint": lambda o: rows_of(o, "sft") >= 2,
    "in SFT after a checkpoint": lambda o: rows_of(o, "sft") >= 10,
    "in GRPO before the first checkpoint": lambda o: rows_of(o, "grpo") >= 1,
    "in GRPO after a checkpoint": lambda o: rows_of(o, "grpo") >= 5,
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_kill_9_loses_nothing_and_doubles_nothing(moment: str, outputs: Outputs, finished: Outputs) -> None:
    process = outputs.start()
    wait_for(lambda: MOMENTS[moment](outputs), process, moment)
    process.kill()
    process.communicate(timeout=30)
    outputs.run()
    assert len(outputs.runs()) == 1, "the interrupted run goes on in its own folder"
    assert_same_outcome(outputs, finished)


def test_three_kills_in_a_row_still_end_where_an_undisturbed_run_ends(outputs: Outputs, finished: Outputs) -> None:
    for moment in ("in SFT after a checkpoint", "in GRPO before the first checkpoint", "in GRPO after a checkpoint"):
        process = outputs.start()
        wait_for(lambda moment=moment: MOMENTS[moment](outputs), process, moment)
        process.kill()
        process.communicate(timeout=30)
    outputs.run()
    assert_same_outcome(outputs, finished)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 75), (signal.SIGUSR1, 75)])
def test_a_signal_saves_and_says_how_to_go_on(
    number: signal.Signals, status: int, outputs: Outputs, finished: Outputs
) -> None:
    process = outputs.start()
    wait_for(lambda: rows_of(outputs, "grpo") >= 3, process, "GRPO")
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert process.returncode == status, err
    assert "The same command continues" in out and "Traceback" not in out + err
    assert json.loads((outputs.runs()[0] / "status.json").read_text())["state"] == "interrupted"
    outputs.run()
    assert_same_outcome(outputs, finished)


def test_a_damaged_checkpoint_is_set_aside_and_an_earlier_one_used(outputs: Outputs, finished: Outputs) -> None:
    process = outputs.start()
    wait_for(lambda: rows_of(outputs, "grpo") >= 5, process, "GRPO")
    process.kill()
    process.communicate(timeout=30)
    checkpoints = sorted((outputs.folder / "store" / "grpo").glob("*.partial/checkpoints/checkpoint-*"))
    whole = [c for c in checkpoints if (c / "whole.json").exists()]
    weights = whole[-1] / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    output = outputs.run().stdout
    assert "is damaged" in output
    assert_same_outcome(outputs, finished)


def test_a_damaged_artifact_is_set_aside_and_made_again(copied: Callable[..., Outputs], finished: Outputs) -> None:
    outputs = copied()
    adapter = next((outputs.folder / "store" / "grpo").glob("*/adapter/adapter_model.safetensors"))
    content = bytearray(adapter.read_bytes())
    content[-1] ^= 1
    adapter.write_bytes(bytes(content))
    output = outputs.run().stdout
    assert "is damaged" in output
    assert list((outputs.folder / "store" / "grpo").glob("*.damaged-*/manifest.json"))
    assert_same_outcome(outputs, finished)


def test_two_processes_starting_the_same_run_at_once_do_not_disturb_each_other(
    outputs: Outputs, finished: Outputs
) -> None:
    first = outputs.start()
    wait_for(lambda: rows_of(outputs, "sft") >= 1, first, "SFT")
    second = outputs.run(status=2)
    assert f"pid {first.pid}" in second.stderr and "nothing was started" in second.stderr
    first.communicate(timeout=300)
    assert first.returncode == 0
    assert_same_outcome(outputs, finished)


def test_a_folder_that_cannot_be_written_is_named_and_nothing_is_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused = Outputs(tmp_path / "file").run(status=2)
    assert str(tmp_path / "file") in refused.stderr and "outputs=FOLDER" in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_full_disk_is_named_and_the_run_goes_on_once_there_is_room(tmp_path: Path, finished: Outputs) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(small)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"cannot mount a small file system here: {mounted.stderr.strip()}")
    try:
        failed = Outputs(small / "outputs").run(status=1)
        assert "No space left on device" in failed.stdout + failed.stderr
        shutil.copytree(small / "outputs", tmp_path / "outputs", symlinks=True)
    finally:
        subprocess.run(["umount", str(small)], check=True)
    outputs = Outputs(tmp_path / "outputs")
    outputs.run()
    assert_same_outcome(outputs, finished)
