"""Memory and time that preparing 10,000 rows out of a file of 1.2 million takes: `python benchmarks/data_slice.py`.

First generates the file, with the columns of OpenThoughts3 (several gigabytes in a temporary folder), then prepares
the slice in a process of its own, whose peak resident memory counts. The last line is one JSON object:
{"rows", "taken", "peak_rss_mb", "seconds"}.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

MEASURE = """
import json, resource, sys, time
from pathlib import Path
from exp.config.contracts import Context, Format
from exp.config.dataset import Dataset, Source
from exp.data.prepare import prepare
from exp.models.tiny.tokenizer import make_tokenizer

file, taken, out = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
tags = dict(reasoning_open="<think>", reasoning_close="</think>")
trace = Format(system_prompt="", answer_in_box=True, **tags)
answer = Format(system_prompt="Think.", answer_open="<answer>", answer_close="</answer>", **tags)
sft = Source(name="openthoughts3", path=str(file), take=taken, shuffle=True, format=trace)
dataset = Dataset(name="slice", sft=sft, eval=Source(name="addition", split="eval"))
start = time.perf_counter()
report = prepare(dataset, answer, Context(total=16384), make_tokenizer(), {}, 0, out, uses=("sft",))
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"taken": report["uses"]["sft"]["kept"], "peak_rss_mb": round(peak), "seconds": round(seconds, 1)}))
"""


def main() -> None:
    """Generate, prepare in a fresh process, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_200_000)
    parser.add_argument("--take", type=int, default=10_000)
    parser.add_argument("--suffix", choices=["jsonl", "parquet"], default="parquet")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"train.{arguments.suffix}"
        write = write_jsonl if arguments.suffix == "jsonl" else write_parquet
        write(file, arguments.rows)
        print(f"{file.stat().st_size / 1e9:.1f} GB in {arguments.rows} rows", flush=True)
        command = [sys.executable, "-c", MEASURE, str(file), str(arguments.take), str(Path(folder) / "out")]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        print(json.dumps({"rows": arguments.rows} | json.loads(done.stdout.splitlines()[-1])))


def made_rows(count: int) -> Iterator[dict[str, Any]]:
    """Rows with OpenThoughts3's columns: a question of its own each, and a trace of about 3,000 characters."""
    rng = Random(0)
    words = [f"w{i}" for i in range(3000)]
    prose = " ".join(rng.choices(words, k=20_000))
    for number in range(count):
        start = rng.randrange(len(prose) - 3000)
        question = f"Problem {number}: {' '.join(rng.choices(words, k=20))}?"
        trace = f"<think>\n{prose[start : start + 3000]}\n</think>\nThe answer is \\boxed{{{number}}}."
        turns = [{"from": "human", "value": question}, {"from": "gpt", "value": trace}]
        yield {"difficulty": number % 10, "source": "made", "domain": "math", "conversations": turns}


def write_jsonl(file: Path, count: int) -> None:
    """One JSON object per line."""
    with file.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in made_rows(count))


def write_parquet(file: Path, count: int) -> None:
    """A single file in row groups of 10,000, as on the hub."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    batch: list[dict[str, Any]] = []
    for number, row in enumerate(made_rows(count), 1):
        batch.append(row)
        if len(batch) == 10_000 or number == count:
            table = pa.Table.from_pylist(batch)
            writer = writer or pq.ParquetWriter(file, table.schema)
            writer.write_table(table)
            batch = []
    if writer:
        writer.close()


if __name__ == "__main__":
    main()
