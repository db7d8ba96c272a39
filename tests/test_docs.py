"""The documentation is true: its commands run and print what is shown, its links lead somewhere, nothing is left out.

In a page, a fenced block whose first line names a file (language `python`, then `my_reward.py`) is written to disk for
the commands that follow. In a `console` block, commands that only look are run in a terminal, and every line shown
below one must be printed, in that order (`…` stands for anything); commands that train must compose.
"""

from __future__ import annotations

import os
import pty
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.override_parser.overrides_parser import OverridesParser

from exp.__main__ import VERBS
from exp.cluster.study import find_study, read_study, sweep_overrides
from exp.config.compose import compose_point
from exp.config.evaluation import Component, Reward
from exp.config.overrides import EXTRA_GROUPS, GROUPS, check_overrides, group_options
from exp.preflight.contracts import contract_problems
from exp.rewards.judge import Completion, judge
from exp.rewards.library import Batch, score

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]

FENCE = re.compile(r"^```(\w*) ?(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
LOOKS = ("plan", "fields", "data", "audit", "verify")
"""Verbs that run nothing that takes long."""
ELSEWHERE = {"hf", "wandb", "source"}
"""Commands of others."""


@dataclass
class Command:
    """A line that starts with `$`, the exit status its comment states, and the lines shown below it."""

    words: list[str]
    status: int = 0
    shown: list[str] = field(default_factory=list)

    @property
    def module(self) -> str:
        return self.words[2] if self.words[:2] == ["python", "-m"] else ""

    @property
    def only_looks(self) -> bool:
        rest = self.words[3:]
        return (self.module == "exp" and rest[0] in LOOKS) or bool({"--cfg", "--help"} & set(rest))


def blocks(page: Path) -> Iterator[tuple[str, str, str]]:
    """Language, file name and text of every fenced block."""
    yield from FENCE.findall(page.read_text("utf-8"))


def commands(text: str) -> list[Command]:
    found: list[Command] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            typed, _, comment = line[2:].partition("    # exits ")
            found.append(Command(shlex.split(typed), int(comment or 0)))
        elif line.strip(" …"):
            found[-1].shown.append(line)
    return found


def all_commands(page: Path) -> list[Command]:
    return [command for language, _, text in blocks(page) if language == "console" for command in commands(text)]


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def run_in_terminal(words: list[str], folder: Path) -> tuple[int, str]:
    """Exit status and everything that a terminal without colours would show."""
    theirs, ours = pty.openpty()
    environment = os.environ | {"TERM": "dumb", "COLUMNS": "160", "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    process = subprocess.Popen(
        [sys.executable, *words[1:]], cwd=folder, env=environment, stdin=ours, stdout=ours, stderr=ours
    )
    os.close(ours)
    said = b""
    try:
        while part := os.read(theirs, 65536):
            said += part
    except OSError:  # how Linux says that nobody holds the other end any more
        pass
    finally:
        os.close(theirs)
    return process.wait(), said.decode("utf-8")


def flat(line: str) -> str:
    return " ".join(line.split())


def missing(shown: list[str], said: str) -> list[str]:
    """The shown lines that are not printed, or not in this order."""
    printed = iter([flat(line) for line in said.splitlines()])
    patterns = {line: re.compile(".*".join(re.escape(part) for part in flat(line).split("…"))) for line in shown}
    return [line for line in shown if not any(patterns[line].fullmatch(said_line) for said_line in printed)]


def require_composes(words: list[str]) -> None:
    """Words of `exp.train` make one point or several, and no contract of theirs is broken."""
    multirun = "-m" in words
    overrides = check_overrides([word for word in words if word != "-m"], multirun=multirun)
    parsed = OverridesParser.create().parse_overrides(overrides)
    (points,) = BasicSweeper.split_arguments(parsed, max_batch_size=None)
    assert multirun or len(points) == 1
    for point in points:
        assert contract_problems(compose_point(list(point))) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_commands_that_look_print_what_the_page_shows(name: str, tmp_path: Path) -> None:
    wrong = []
    for language, file, text in blocks(ROOT / name):
        if file:
            write(tmp_path, file, text)
        for command in commands(text) if language == "console" else []:
            if not command.only_looks:
                continue
            status, said = run_in_terminal(command.words, tmp_path)
            absent = missing(command.shown, said)
            if status != command.status or absent:
                wrong.append(f"$ {shlex.join(command.words)}\nstatus {status}, not printed: {absent}\n{said}")
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("name", NAMES)
def test_commands_that_train_compose(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for command in all_commands(ROOT / name):
        if command.module == "exp.train" and not command.only_looks:
            require_composes(command.words[3:])


@pytest.mark.parametrize("name", NAMES)
def test_every_other_command_exists(name: str) -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for command in all_commands(ROOT / name):
        program, *rest = command.words
        if program == "make":
            assert rest[0] in targets
        elif command.module == "exp":
            assert rest[2] in VERBS
            if rest[2] == "sweep":
                require_composes(["-m", *sweep_overrides(read_study(find_study(rest[3])))])
        else:
            assert command.module == "exp.train" or program in ELSEWHERE, command.words


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_to_a_page_and_a_heading(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    links = [link for link in LINK.findall(text) if "://" not in link]
    assert links
    for link in links:
        path, _, anchor = link.partition("#")
        target = ((ROOT / name).parent / path).resolve() if path else ROOT / name
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_named_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [name for name in NAMES[1:] if f"({name}" not in readme] == []


def test_the_table_of_groups_is_complete() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", (ROOT / "docs/configuration.md").read_text("utf-8"), re.MULTILINE)
    table = {group: sorted(options.strip().split(", ")) for group, options in rows}
    assert table == {group: group_options(group) for group in (*GROUPS, *EXTRA_GROUPS)}


def test_the_tree_in_the_readme_names_every_room() -> None:
    tree = next(text for _, _, text in blocks(ROOT / "README.md") if "src/exp/" in text)
    rooms = {file.parent.name for file in (ROOT / "src/exp").glob("*/__init__.py")}
    assert rooms
    assert rooms == set(re.findall(r"^  (\w+)/", tree, re.MULTILINE))


def test_every_verb_is_used_somewhere() -> None:
    used = {command.words[3] for page in PAGES for command in all_commands(page) if command.module == "exp"}
    assert used == set(VERBS)


def test_the_reward_on_the_page_pays_right_answers_that_stay_short(tmp_path: Path) -> None:
    for _, file, text in blocks(ROOT / "docs/rewards.md"):
        if file:
            write(tmp_path, file, text)
    said = "<think>two and two</think><answer>{}</answer>"
    read = [Completion(said.format(answer), num_tokens=n) for answer, n in (("4", 30), ("4", 31), ("5", 30))]
    judged = judge(read, ["4"] * 3, ["integer"] * 3, compose_point([]).format)
    short = Component(function=f"{tmp_path}/my_reward.py:short", options={"limit": 30})
    reward = Reward(components={"short": short})
    assert score(Batch(read, judged, ["4"] * 3, [{}] * 3), reward) == {"short": [1.0, 0.0, 0.0]}


def test_a_line_that_is_not_printed_is_noticed() -> None:
    assert missing(["a …", "c"], "a b\nc\n") == []
    assert missing(["c", "a …"], "a b\nc\n") == ["a …"]
