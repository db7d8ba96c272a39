"""Preparing: what reaches the trainers, what is dropped and why, and what the report says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exp.config.contracts import Context, Format
from exp.config.dataset import Dataset, Source
from exp.contract.format import parse
from exp.data.prepare import prepare
from exp.data.prompts import PromptBuilder
from exp.data.storage import read_rows, rows_file
from exp.errors import Refused
from exp.rewards.verdict import Verdict
from exp.rewards.verify import verify

ADDITION = Dataset(
    name="addition",
    near_duplicate=None,
    sft=Source(name="addition", split="sft", take=50, options={"noise": 0.5}),
    rl=Source(name="addition", split="rl", take=40),
    eval=Source(name="addition", split="eval", take=30),
)


@pytest.fixture
def addition(prepared: Any, tmp_path: Path) -> Path:
    prepared(ADDITION, "sft", "rl", "eval")
    return tmp_path / "out"


def test_loss_is_taken_on_the_completion_and_its_stop_token_alone(addition: Path, builder: PromptBuilder) -> None:
    rows = read_rows(addition, "sft")
    assert len(rows) == 50
    for row in rows:
        mask = row["completion_mask"]
        start = mask.index(1)
        assert len(mask) == len(row["input_ids"])
        assert mask == [0] * start + [1] * (len(mask) - start)
        assert builder.decode(row["input_ids"][start:]) == row["completion"] + "<|im_end|>"


def test_the_generation_prompt_is_a_prefix_of_the_training_sequence(addition: Path, builder: PromptBuilder) -> None:
    for row in read_rows(addition, "sft"):
        prompt = builder.prompt_ids(builder.messages(row["question"]))
        assert row["input_ids"][: row["prompt_tokens"]] == prompt
        assert row["completion_mask"][: row["prompt_tokens"]] == [0] * len(prompt)
        assert row["prompt"] == builder.decode(prompt)


def test_trl_takes_loss_where_the_mask_says(addition: Path, tokenizer: Any) -> None:
    """Through TRL's own preparation of a tokenised data set and its collator."""
    from datasets import Dataset as Table
    from trl import SFTConfig, SFTTrainer
    from trl.trainer.sft_trainer import DataCollatorForLanguageModeling

    table = Table.from_parquet(str(rows_file(addition, "sft")), cache_dir=str(addition / "cache"))
    trainer = SFTTrainer.__new__(SFTTrainer)
    trainer.completion_only_loss = True
    arguments = SFTConfig(output_dir=str(addition), completion_only_loss=True, use_cpu=True, bf16=False, report_to=[])
    columns = table.select_columns(["input_ids", "completion_mask"])
    ready = trainer._prepare_dataset(columns, tokenizer, arguments, False, None, "train")
    batch = DataCollatorForLanguageModeling(tokenizer.pad_token_id)([ready[0]])
    (labels,) = batch["labels"].tolist()
    mask = table[0]["completion_mask"]
    assert [label != -100 for label in labels] == [bool(m) for m in mask]
    assert labels[-1] == tokenizer.convert_tokens_to_ids("<|im_end|>")


def test_every_target_is_well_formed_and_says_its_answer(addition: Path, formats: dict[str, Format]) -> None:
    for row in read_rows(addition, "sft"):
        parsed = parse(row["completion"], formats["think_answer"])
        assert parsed.well_formed
        assert parsed.answer == row["answer"]


@pytest.mark.parametrize(("use", "count"), [("rl", 40), ("eval", 30)])
def test_questions_come_as_messages_with_a_gold_that_verifies(
    addition: Path, builder: PromptBuilder, use: str, count: int
) -> None:
    rows = read_rows(addition, use)
    assert len(rows) == len({row["id"] for row in rows}) == count
    for row in rows:
        assert row["prompt"] == builder.messages(row["question"])
        assert row["prompt_tokens"] == len(builder.prompt_ids(row["prompt"]))
        assert verify(row["gold"], row["gold"], row["kind"]).verdict is Verdict.RIGHT


def test_the_parquet_file_loads_as_conversational_prompts_for_trl(addition: Path) -> None:
    from datasets import Dataset as Table
    from trl import is_conversational

    table = Table.from_parquet(str(rows_file(addition, "rl")), cache_dir=str(addition / "cache"))
    assert is_conversational({"prompt": table[0]["prompt"]})


def test_preparing_twice_gives_the_same_files(prepared: Any, tmp_path: Path) -> None:
    folders = []
    for _ in range(2):
        prepared(ADDITION, "sft", "rl")
        folders.append([read_rows(tmp_path / "out", use) for use in ("sft", "rl", "eval")])
    assert folders[0] == folders[1]


def test_another_seed_samples_other_training_rows_and_the_same_evaluation(prepared: Any, tmp_path: Path) -> None:
    seen = []
    for seed in (0, 1):
        prepared(ADDITION, "sft", seed=seed)
        seen.append([[row["id"] for row in read_rows(tmp_path / "out", use)] for use in ("sft", "eval")])
    assert seen[0][0] != seen[1][0]
    assert seen[0][1] == seen[1][1]


def test_the_opening_tag_is_not_doubled_where_the_template_writes_it(
    tokenizers: Callable[[str], Any], tmp_path: Path, formats: dict[str, Format]
) -> None:
    tokenizer = tokenizers("opens reasoning")
    report = prepare(ADDITION, formats["think_answer"], Context(total=512), tokenizer, {}, 0, tmp_path)
    assert report["opened"]
    for row in read_rows(tmp_path, "sft"):
        sequence = tokenizer.decode(row["input_ids"][row["prompt_tokens"] - 5 :])
        assert sequence.count("<think>") == 1
        assert parse(row["completion"], formats["think_answer"], opened=True).well_formed


def test_progress_is_told_with_the_number_wanted(tokenizer: Any, tmp_path: Path, formats: dict[str, Format]) -> None:
    told: list[tuple[str, int, int, int | None]] = []
    prepare(
        *(ADDITION, formats["think_answer"], Context(total=512), tokenizer, {}, 0, tmp_path),
        progress=lambda *step: told.append(step),
    )
    assert told == [("eval", 30, 30, 30), ("rl", 40, 40, 40), ("sft", 50, 50, 50)]


@pytest.mark.parametrize(("use", "stage"), [("sft", "sft=none"), ("rl", "grpo=none")])
def test_a_use_that_the_dataset_does_not_offer_is_refused(prepared: Any, use: str, stage: str) -> None:
    with pytest.raises(Refused, match="cannot feed") as refusal:
        prepared(ADDITION.model_copy(update={use: None}), use)
    assert refusal.value.problems[0].fix.startswith(stage)


def test_all_missing_sources_are_named_at_once(prepared: Any, own: Any, tmp_path: Path) -> None:
    with pytest.raises(Refused) as refusal:
        prepared(own(None, rl=None), "sft", "rl")
    assert [p.where for p in refusal.value.problems] == ["dataset.eval", "dataset.rl", "dataset.sft"]


def test_a_budget_that_keeps_nothing_is_refused_with_one_that_keeps_most(prepared: Any) -> None:
    with pytest.raises(Refused, match="30 × prompt too long") as refusal:
        prepared(ADDITION, "eval", total=32)
    fix = refusal.value.problems[0].fix
    assert fix.startswith("context.total=")
    assert prepared(ADDITION, "eval", total=int(fix.partition("=")[2]))["uses"]["eval"]["kept"] == 30


def test_the_report_on_disk_is_the_one_returned(prepared: Any, tmp_path: Path) -> None:
    report = prepared(ADDITION, "sft")
    assert json.loads((tmp_path / "out" / "report.json").read_text("utf-8")) == report
    assert list(report["uses"]) == ["eval", "sft"]


@pytest.mark.parametrize("name", ["gsm8k", "svamp"])
def test_the_real_files_give_traces_and_questions(shared_data: Path, prepared: Any, tmp_path: Path, name: str) -> None:
    split = {"split": "train", "take": 150}
    dataset = Dataset(
        name=name,
        path=str(shared_data),
        sft=Source(name=name, **split),
        rl=Source(name=name, **split),
        eval=Source(name=name, split="test", take=100),
        holdout=100,
    )
    uses = prepared(dataset, "sft", "rl")["uses"]
    assert {use: report["kept"] for use, report in uses.items()} == {"eval": 100, "rl": 150, "sft": 150}
    assert uses["sft"]["overlap_with_eval"]["exact"] == 0


def test_nearly_every_gold_of_math500_verifies_against_itself(shared_data: Path, prepared: Any) -> None:
    dataset = Dataset(name="math500", path=str(shared_data), eval=Source(name="math500", split="test"))
    report = prepared(dataset, "eval", total=8192)["uses"]["eval"]
    assert report["kept"] >= 490
