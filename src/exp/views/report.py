"""The report of one run: a single HTML file that needs no network, beside the numbers it shows."""

from __future__ import annotations

import argparse
from pathlib import Path

from exp.stages.files import write_text
from exp.views.report_data import gather
from exp.views.report_find import find_run
from exp.views.report_page import render

RUNS = Path("outputs/runs")


def write_report(run_folder: Path) -> Path:
    """Write `report.html` into the run's folder and return its path; readers see the old page or the new one, whole.

    Raises `Refused` if the folder is not that of a run.
    """
    data = gather(run_folder)
    page = render(f"{data['run']} · report", data)
    target = run_folder / "report.html"
    write_text(target, page)
    return target


def main(argv: list[str]) -> int:
    """`python -m exp report [RUN]`: write the report of a run and print where it is. Raises `Refused`."""
    parser = argparse.ArgumentParser(prog="python -m exp report", description="Write the HTML report of a run.")
    parser.add_argument("run", nargs="?", help="folder, run id or its unique beginning; the newest run if absent")
    parser.add_argument("--runs", type=Path, default=RUNS, help="folder that holds the runs (%(default)s)")
    options = parser.parse_args(argv)
    print(write_report(find_run(options.run, options.runs)))
    return 0
