"""`python -m exp data show` as it is typed."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from exp.data.show import Shown, Token
from exp.views.data_show import main, print_row

SHOWN = Shown(
    {"question": "2+2?", "trace": "x" * 5000},
    "row-1",
    ({"role": "user", "content": "2+2? [bold]"},),
    "4",
    "integer",
    "user: 2+2?\n",
    "4",
    (Token("2+2?", 1, False), Token("4", 2, True), Token("<stop>", 3, True)),
)


def printed(shown: Shown, terminal: bool) -> str:
    stream = io.StringIO()
    print_row(
        shown, Console(file=stream, force_terminal=terminal, width=40, color_system="standard" if terminal else "auto")
    )
    return stream.getvalue()


def test_piped_output_marks_the_learnt_tokens_in_plain_text() -> None:
    text = printed(SHOWN, terminal=False)
    assert "2+2?|⟦4⟧|⟦<stop>⟧" in text
    assert "Tokens: 3, loss on 2" in text
    assert "\x1b[" not in text


def test_a_terminal_shows_the_learnt_tokens_in_colour() -> None:
    text = printed(SHOWN, terminal=True)
    assert "\x1b[1;32m4" in text
    assert "⟦" not in text


def test_the_text_of_a_row_is_never_read_as_markup() -> None:
    assert "user: 2+2? [bold]" in printed(SHOWN, terminal=False)


@pytest.mark.parametrize("terminal", [True, False])
def test_data_cannot_command_the_terminal(terminal: bool) -> None:
    hostile = "\x1b]0;owned\x07 \x1b[2J"
    text = printed(Shown({"question": hostile}, tokens=(Token(hostile, 1, True),)), terminal)
    assert "\x1b]" not in text and "\x1b[2J" not in text and "\x07" not in text


def test_a_long_value_is_shortened_and_its_length_told() -> None:
    text = printed(SHOWN, terminal=False)
    assert "(5000 characters)" in text
    assert "x" * 700 not in text


def test_a_row_of_the_embedded_dataset_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "model=tiny", "dataset=addition", "--row", "2"]) == 0
    out = capsys.readouterr().out
    assert all(heading in out for heading in ("Messages", "Text", "Tokens"))
    assert "⟦" in out


def test_a_mistake_is_answered_with_the_fix_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "dataset=additoin"]) == 2
    assert "dataset=addition" in capsys.readouterr().err
