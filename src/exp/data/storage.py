"""Prepared rows on disk: one Parquet file per use, written in batches and read back."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

BATCH = 500


def rows_file(folder: Path, use: str) -> Path:
    """Where the rows of `use` (`sft`, `rl`, `eval`) lie inside the folder of prepared data."""
    return folder / f"{use}.parquet"


def read_rows(folder: Path, use: str) -> list[dict[str, Any]]:
    """All rows of `use`, in memory. Trainers read the Parquet file itself."""
    import pyarrow.parquet as pq

    return pq.read_table(rows_file(folder, use)).to_pylist()


class RowWriter:
    """Writes rows of one use; the file is complete once the `with` block has ended."""

    def __init__(self, folder: Path, use: str) -> None:
        import pyarrow.parquet as pq

        self._schema = schema_of(use)
        self._writer = pq.ParquetWriter(rows_file(folder, use), self._schema, compression="zstd")
        self._batch: list[dict[str, Any]] = []

    def write(self, row: dict[str, Any]) -> None:
        """Add a row; it reaches the disk with its batch."""
        self._batch.append(row)
        if len(self._batch) >= BATCH:
            self._flush()

    def __enter__(self) -> RowWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._flush()
        self._writer.close()

    def _flush(self) -> None:
        import pyarrow as pa

        self._writer.write_table(pa.Table.from_pylist(self._batch, schema=self._schema))
        self._batch = []


def schema_of(use: str) -> pa.Schema:
    """Columns of a use's file. `prompt` of RL and evaluation is a list of messages, as TRL takes it."""
    import pyarrow as pa

    text = pa.string()
    messages = pa.list_(pa.struct([("role", text), ("content", text)]))
    common = [("id", text), ("question", text), ("kind", text), ("prompt_tokens", pa.int32())]
    if use == "sft":
        tokens = [("input_ids", pa.list_(pa.int32())), ("completion_mask", pa.list_(pa.int8()))]
        return pa.schema([*common, ("answer", text), ("prompt", text), ("completion", text), *tokens])
    return pa.schema([*common, ("gold", text), ("prompt", messages), ("subject", text), ("type", text)])
