"""Writing the report of a run."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from exp.errors import Refused
from exp.views.report import main, write_report
from exp.views.report_data import gather

from .made_run import make_run


def embedded(report: Path) -> dict[str, Any]:
    block = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', report.read_text(encoding="utf-8"), re.DOTALL
    )
    assert block
    return json.loads(block[1])


@pytest.fixture
def small_run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "20300102-030405-addition-1a2b3c4d", questions=8, prompts=1, generations=2)


def test_the_report_holds_every_part_of_a_finished_run(report):
    data = embedded(report)
    assert [model["label"] for model in data["models"]] == ["Base", "SFT", "GRPO"]
    assert [stage["name"] for stage in data["stages"]] == ["data", "sft", "grpo", "eval"]
    assert [text["title"] for text in data["texts"]] == ["Configuration", "Overrides"]
    assert [tree["title"] for tree in data["trees"]] == ["Data", "Environment"]
    assert data["started"] == "2030-01-02 03:04 UTC"
    assert data["notes"] == []


def test_the_report_states_how_much_of_each_file_it_shows(report):
    extents = {
        source["label"]: (source["shown"], source["total"], source["file"]) for source in embedded(report)["sources"]
    }
    assert extents["GRPO, greedy"] == (500, 500, "eval/grpo.jsonl")
    assert extents["SFT, sampled"] == (500, 2000, "eval/sft.jsonl")
    assert extents["GRPO, rollouts"] == (1000, 5120, "completions/grpo.jsonl")
    assert len(embedded(report)["rows"]) == sum(shown for shown, _, _ in extents.values())


@pytest.mark.parametrize(
    "absent", ["result.json", "metrics.jsonl", "eval", "completions", "config.yaml", "environment.json"]
)
def test_a_run_that_lacks_a_part_is_reported_without_it(small_run, absent):
    whole = gather(small_run)
    path = small_run / absent
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    part = embedded(write_report(small_run))
    emptied = {key for key in whole if whole[key] and not part[key]}
    assert emptied == {
        "result.json": {"headline", "stages", "models", "comparisons", "point", "started", "took"},
        "metrics.jsonl": {"panels"},
    }.get(absent, set())
    assert len(part["rows"]) + len(part["texts"]) + len(part["trees"]) + len(part["panels"]) + len(part["models"]) < (
        len(whole["rows"]) + len(whole["texts"]) + len(whole["trees"]) + len(whole["panels"]) + len(whole["models"])
    )


def test_stages_tell_whether_they_ran_were_reused_or_were_off(small_run):
    result = json.loads((small_run / "result.json").read_text())
    result["stages"] = {"data": {"id": "a", "seconds": 3.0, "status": "done", "reused": True}, "sft": {"status": "off"}}
    (small_run / "result.json").write_text(json.dumps(result))
    assert gather(small_run)["stages"] == [
        {"name": "data", "id": "a", "status": "reused", "took": "3.0 s"},
        {"name": "sft", "id": "", "status": "off", "took": ""},
    ]


def test_completions_whose_artifact_is_gone_are_left_out(small_run):
    (small_run / "completions" / "grpo_2.jsonl").symlink_to("no longer there")
    assert [source["label"] for source in gather(small_run)["sources"]][-1] == "GRPO, rollouts"


def test_lines_that_cannot_be_read_are_counted_in_the_report(small_run):
    with (small_run / "metrics.jsonl").open("a") as file:
        file.write("{torn\n")
    assert embedded(write_report(small_run))["notes"][-1] == "Unreadable and left out: metrics.jsonl, line 141."


def test_a_folder_that_is_no_run_is_refused_and_left_empty(tmp_path):
    with pytest.raises(Refused, match="is not the folder of a run"):
        write_report(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_writing_again_replaces_the_report_and_leaves_nothing_else_behind(small_run):
    before = {path.name for path in small_run.iterdir()}
    first = write_report(small_run).read_bytes()
    assert write_report(small_run).read_bytes() == first
    assert {path.name for path in small_run.iterdir()} == before | {"report.html"}


def test_the_command_writes_the_newest_run_and_prints_where(small_run, capsys):
    assert main(["--runs", str(small_run.parent)]) == 0
    assert capsys.readouterr().out.strip() == str(small_run / "report.html")
    assert (small_run / "report.html").stat().st_size > 10_000
