r"""Cut an expression into tokens: numbers, letters, commands, signs.

A blank survives only between two numbers (`2 1/2`). A run of letters is a function's name or single variables; a long
run is a word, and no expression.
"""

from __future__ import annotations

import re
from fractions import Fraction

from exp.rewards.tree import Node

MAX_DIGITS = 4000

FUNCTIONS = frozenset({
    "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh",
    "ln", "log", "lg", "exp", "sqrt", "min", "max", "gcd", "lcm", "abs", "floor", "ceil",
})  # fmt: skip
ALIASES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "inf": "infty"}
GREEK = frozenset({
    "alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta", "vartheta", "kappa", "lambda",
    "nu", "xi", "rho", "sigma", "tau", "phi", "varphi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda",
    "Xi", "Sigma", "Phi", "Psi", "Omega", "ell", "hbar",
})  # fmt: skip
TOKEN = re.compile(
    r"(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\d)|\d+|\.\d+)|(?P<command>\\[A-Za-z]+|\\[{}|])"
    r"|(?P<word>[A-Za-zμ]+)"
    r"|(?P<sign>\^\\circ|[-+*/^_!%()\[\]{}|,'])|(?P<blank>\s+)"
)


class NotReadable(Exception):
    """The text is not an expression of the grammar; `str()` says why."""


def cut(text: str) -> list[str]:
    """The tokens of `text`. Raises `NotReadable`."""
    tokens: list[str] = []
    position = 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if not match:
            raise NotReadable(f"unexpected {text[position]!r}")
        position = match.end()
        if match.lastgroup == "blank":
            between_numbers = tokens and tokens[-1][-1].isdigit() and text[position : position + 1].isdigit()
            if between_numbers and tokens[-2:-1] not in (["_"], ["^"]):
                tokens.append(" ")
        elif match.lastgroup == "word":
            tokens += _split_word(match.group())
        else:
            tokens.append(match.group())
    return tokens


def _split_word(word: str) -> list[str]:
    name = ALIASES.get(word, word)
    if name in FUNCTIONS or name in GREEK or name in ("pi", "infty"):
        return ["\\" + name]
    for function in FUNCTIONS:
        if name.startswith(function) and len(name) == len(function) + 1:
            return ["\\" + function, name[-1]]
    if len(word) > 3:
        raise NotReadable(f"the word {word!r}")
    return list(word)


def number(token: str) -> Node:
    """The tree of a number token. Raises `NotReadable` for one too large to hold."""
    if len(token) > MAX_DIGITS:
        raise NotReadable("a number of too many digits")
    mantissa, _, exponent = token.lower().partition("e")
    if len(exponent) > 5 or abs(int(exponent or 0)) > MAX_DIGITS:
        raise NotReadable("an exponent too large")
    return Node("number", value=Fraction(mantissa) * Fraction(10) ** int(exponent or 0), decimal="." in token)
