"""What the tests of the data room share: tokenizers of several manners, formats, and writing small files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from exp.config.contracts import Context, Format
from exp.config.dataset import Dataset, Source
from exp.data.prepare import prepare
from exp.data.prompts import PromptBuilder

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TEMPLATES = {
    "chatml": CHATML,
    "opens reasoning": CHATML.replace("assistant\n", "assistant\n<think>\n"),
    "writes bos": "<|endoftext|>" + CHATML,
    "knows no system turn": "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('System role not "
    "supported') }}{% endif %}{% endfor %}" + CHATML,
    "drops the system turn": CHATML.replace("{% for m in messages %}", "{% for m in messages if m.role != 'system' %}"),
    # As Qwen3's: the reasoning of earlier turns is removed.
    "forgets reasoning": CHATML.replace(
        "{{ m.content }}", "{{ m.content.split('</think>')[-1] if m.role == 'assistant' else m.content }}"
    ),
}

THINK_ANSWER = Format(
    system_prompt="Reason between <think> and </think>, then answer between <answer> and </answer>.",
    reasoning_open="<think>",
    reasoning_close="</think>",
    answer_open="<answer>",
    answer_close="</answer>",
)
THINK_BOXED = Format(
    system_prompt="Reason, then box the answer.",
    reasoning_open="<think>",
    reasoning_close="</think>",
    answer_in_box=True,
)
WORKING_OUT = Format(
    system_prompt="Work it out.",
    reasoning_open="<start_working_out>",
    reasoning_close="<end_working_out>",
    answer_open="<SOLUTION>",
    answer_close="</SOLUTION>",
)
BOXED = Format(system_prompt="Box the answer.", answer_in_box=True)


@pytest.fixture(scope="session")
def tokenizers() -> Callable[[str], Any]:
    """A small tokenizer with one of `TEMPLATES`."""
    from exp.models.tiny.tokenizer import make_tokenizer

    def build(template: str = "chatml") -> Any:
        tokenizer = make_tokenizer()
        tokenizer.chat_template = TEMPLATES[template]
        if template == "writes bos":
            tokenizer.bos_token = "<|endoftext|>"
        return tokenizer

    return build


@pytest.fixture(scope="session")
def tokenizer(tokenizers: Callable[..., Any]) -> Any:
    """A small ChatML tokenizer."""
    return tokenizers()


@pytest.fixture(scope="session")
def builder(tokenizer: Any) -> PromptBuilder:
    """Prompts in ChatML and the format `THINK_ANSWER`."""
    return PromptBuilder(tokenizer, THINK_ANSWER, {})


@pytest.fixture(scope="session")
def formats() -> dict[str, Format]:
    """The four shapes a format can have."""
    return {"think_answer": THINK_ANSWER, "think_boxed": THINK_BOXED, "working_out": WORKING_OUT, "boxed": BOXED}


@pytest.fixture
def write_jsonl(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows to a JSONL file of the given name below a temporary folder."""

    def write(rows: Iterable[dict[str, Any]], name: str = "rows.jsonl") -> Path:
        file = tmp_path / "given" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return file

    return write


@pytest.fixture
def write_parquet(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows to a Parquet file of the given name below a temporary folder."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def write(rows: list[dict[str, Any]], name: str = "rows.parquet") -> Path:
        file = tmp_path / "given" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows), file)
        return file

    return write


@pytest.fixture
def prepared(tokenizer: Any, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Prepares a dataset with the small tokenizer into `tmp_path / "out"`; returns the report."""

    def run(dataset: Dataset, *uses: str, fmt: Format = THINK_ANSWER, total: int = 4096, seed: int = 0) -> Any:
        context = Context(total=total)
        return prepare(dataset, fmt, context, tokenizer, {}, seed, tmp_path / "out", uses=uses)

    return run


def own_rows(path: Path | None, **changes: Any) -> Dataset:
    """A dataset whose three uses read any known shape from `path`."""
    source = Source(name="rows")
    values = {"name": "own", "sft": source, "rl": source, "eval": source, "holdout": 2} | changes
    return Dataset(path=str(path) if path else None, **values)


@pytest.fixture
def own() -> Callable[..., Dataset]:
    """`own_rows`, for tests."""
    return own_rows
