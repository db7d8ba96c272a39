"""`python -m exp data show`: one row of the chosen dataset, raw → messages → text → tokens with the loss mask."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from exp.config.compose import compose_point
from exp.data.prompts import PromptBuilder
from exp.data.show import Shown, marked, read_row, show_row
from exp.errors import Refused
from exp.messages import harmless, print_refusal
from exp.models.source import find_base, require_available

LONGEST_VALUE = 600
LEARNT = "bold green"


def main(argv: Sequence[str]) -> int:
    """Print one row; returns the exit status. `argv` holds `show`, overrides, `--row N` (from 1) and `--use`."""
    parser = argparse.ArgumentParser(prog="python -m exp data", description=__doc__)
    parser.add_argument("action", choices=["show"], help="what to do")
    parser.add_argument("overrides", nargs="*", help="as for exp.train: dataset=gsm8k model=qwen8b ...")
    parser.add_argument("--row", type=int, default=1, help="number of the row in the source, from 1")
    parser.add_argument("--use", choices=["sft", "rl", "eval"], default="sft")
    arguments = parser.parse_intermixed_args(argv)
    try:
        shown = _look_up(arguments.overrides, arguments.use, arguments.row)
    except Refused as refused:
        print_refusal(refused)
        return 2
    print_row(shown, Console())
    return 0


def print_row(shown: Shown, console: Console) -> None:
    """The stations one below the other; learnt tokens in colour on a terminal, between ⟦ and ⟧ elsewhere."""
    _heading(console, f"Row {shown.id}".rstrip())
    for name, value in shown.raw.items():
        _line(console, f"{name}: {_short(value)}")
    if shown.problem:
        _heading(console, "Dropped")
        _line(console, shown.problem)
        return
    _heading(console, "Messages")
    for message in shown.messages:
        _line(console, f"{message['role']}: {message['content']}")
    _line(console, f"answer ({shown.kind}): {shown.answer}")
    _heading(console, "Text")
    _line(console, shown.prompt + shown.completion)
    learnt = sum(token.learnt for token in shown.tokens)
    where = "in green" if console.is_terminal else "between ⟦ and ⟧"
    _heading(console, f"Tokens: {len(shown.tokens)}, loss on {learnt}" + (f" ({where})" if learnt else ""))
    _print_tokens(shown, console)


def _print_tokens(shown: Shown, console: Console) -> None:
    if not console.is_terminal:
        _line(console, marked(shown.tokens))
        return
    text = Text()
    for token in shown.tokens:
        text.append(harmless(token.text), style=LEARNT if token.learnt else "dim")
        text.append("|", style="dim")
    console.print(text, soft_wrap=True)


def _look_up(overrides: Sequence[str], use: str, row: int) -> Shown:
    from exp.models.tokenizer import load_tokenizer

    point = compose_point(overrides)
    read = read_row(point.dataset, use, row, point.seed)
    base = find_base(point.model)
    require_available(base)
    builder = PromptBuilder(load_tokenizer(base), point.format, point.model.template_options)
    return show_row(read, use, point.dataset, point.format, builder)


def _heading(console: Console, text: str) -> None:
    console.print(Text(f"\n{text}", style="bold"))


def _line(console: Console, text: str) -> None:
    console.print(Text(harmless(text)), soft_wrap=True)  # as it is: no markup, no wrapping of what may be piped


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]} … ({len(text)} characters)"
