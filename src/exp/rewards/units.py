"""Units of measurement: read, and reduced to a factor and a dimension. A table: cheap, and closed to hostile text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from math import pi

Dimension = tuple[tuple[str, int], ...]
Definition = tuple[Fraction | int, str]  # factor, base units with their powers

PREFIXES: dict[str, Fraction | int] = {
    "T": 10**12, "G": 10**9, "M": 10**6, "k": 10**3, "h": 100, "d": Fraction(1, 10), "c": Fraction(1, 100),
    "m": Fraction(1, 10**3), "μ": Fraction(1, 10**6), "u": Fraction(1, 10**6), "n": Fraction(1, 10**9),
    "p": Fraction(1, 10**12), "f": Fraction(1, 10**15),
}  # fmt: skip
PREFIX_WORDS = {
    "tera": "T",
    "giga": "G",
    "mega": "M",
    "kilo": "k",
    "deci": "d",
    "centi": "c",
    "milli": "m",
    "micro": "μ",
    "nano": "n",
}

METRIC: dict[str, Definition] = {
    "m": (1, "m"), "g": (Fraction(1, 1000), "kg"), "s": (1, "s"), "A": (1, "A"), "K": (1, "K"), "mol": (1, "mol"),
    "L": (Fraction(1, 1000), "m m m"), "l": (Fraction(1, 1000), "m m m"), "N": (1, "kg m s-1 s-1"),
    "J": (1, "kg m m s-1 s-1"), "W": (1, "kg m m s-1 s-1 s-1"), "Pa": (1, "kg m-1 s-1 s-1"), "Hz": (1, "s-1"),
    "C": (1, "A s"), "V": (1, "kg m m s-1 s-1 s-1 A-1"), "F": (1, "A A s s s s kg-1 m-1 m-1"),
    "ohm": (1, "kg m m s-1 s-1 s-1 A-1 A-1"), "T": (1, "kg s-1 s-1 A-1"), "H": (1, "kg m m s-1 s-1 A-1 A-1"),
    "Wb": (1, "kg m m s-1 s-1 A-1"), "eV": (Fraction(1602176634, 10**28), "kg m m s-1 s-1"),
    "cal": (Fraction(4184, 1000), "kg m m s-1 s-1"), "bar": (10**5, "kg m-1 s-1 s-1"),
}  # fmt: skip
OTHER: dict[str, Definition] = {
    "min": (60, "s"), "h": (3600, "s"), "day": (86400, "s"), "week": (604800, "s"), "month": (1, "month"),
    "year": (12, "month"), "in": (Fraction(254, 10000), "m"), "ft": (Fraction(3048, 10000), "m"),
    "yd": (Fraction(9144, 10000), "m"), "mi": (Fraction(1609344, 1000), "m"), "lb": (Fraction(45359237, 10**8), "kg"),
    "oz": (Fraction(45359237, 16 * 10**8), "kg"), "t": (1000, "kg"), "atm": (101325, "kg m-1 s-1 s-1"),
    "°": (Fraction(pi / 180), "rad"), "rad": (1, "rad"), "°C": (1, "°C"), "°F": (1, "°F"), "$": (1, "$"),
    "¢": (Fraction(1, 100), "$"), "€": (1, "€"), "£": (1, "£"), "mph": (Fraction(1609344, 3600000), "m s-1"),
    "M": (1000, "mol m-1 m-1 m-1"), "Å": (Fraction(1, 10**10), "m"), "dozen": (12, "piece"),
}  # fmt: skip
WORDS = {
    "meter": "m", "metre": "m", "gram": "g", "second": "s", "sec": "s", "ampere": "A", "amp": "A", "kelvin": "K",
    "mole": "mol", "liter": "L", "litre": "L", "newton": "N", "joule": "J", "watt": "W", "pascal": "Pa", "hertz": "Hz",
    "coulomb": "C", "volt": "V", "farad": "F", "tesla": "T", "calorie": "cal", "minute": "min", "hour": "h", "hr": "h",
    "inch": "in", "foot": "ft", "yard": "yd", "mile": "mi", "pound": "lb", "ounce": "oz", "ton": "t", "tonne": "t",
    "degree": "°", "deg": "°", "radian": "rad", "dollar": "$", "cent": "¢", "euro": "€", "yr": "year", "weber": "Wb",
    "feet": "ft", "usd": "$", "buck": "$", "henry": "H",
}  # fmt: skip
POWER_WORDS = {"square": 2, "sq": 2, "squared": 2, "cubic": 3, "cubed": 3, "cu": 3}
PART = re.compile(r"(/|per\b|\*|\\cdot|\.|-)?\s*(\\Omega|[A-Za-zμ°$€£¢Å]+)\s*(?:\^?\s*\{?\s*(-?\d)\s*\}?)?\s*")
MAX_WORDS = 3  # of a unit that the table does not hold
PROSE = re.compile(
    r"\b(?:is|are|was|were|be|not|no|never|or|and|but|if|else|the|answer|wrong|incorrect|false|true|right|correct|maybe|might"
    r"|perhaps|than|isn't|aren't|i|we|it|this|that|because|so)\b"
)
UNKNOWN = re.compile(r"[A-Za-z][A-Za-z\-' ]*")


@dataclass(frozen=True)
class Unit:
    """A unit as a factor times base units, or, where the table has no such unit, just its words."""

    factor: Fraction = Fraction(1)
    dimension: Dimension = ()
    words: str = ""

    @property
    def known(self) -> bool:
        """Whether the table converts it."""
        return bool(self.dimension)


def read_unit(text: str) -> Unit | None:
    r"""The unit that `text` (cleaned, without its number) names; None if it reads as no unit at all.

    `m/s^2`, `kg m^{-3}`, `square inches`, `\text{cm}^2`; other words (`apples`) are an unknown unit.
    """
    bare = text.replace("\\text", " ").replace("^\\circ", "°").replace("{", " ").replace("}", " ").replace("^ ", "^")
    bare = re.sub(r"°\s*([CF])\b", r"°\1", " ".join(bare.split()).replace("μ ", "μ"))
    if len(bare) > 60:
        return None
    known = _known(bare)
    if known is not None:
        return known
    words = bare.strip(" .").casefold()
    is_unit = (
        len(words) > 1 and UNKNOWN.fullmatch(words) and len(words.split()) <= MAX_WORDS and not PROSE.search(words)
    )
    return Unit(words=_singular(words)) if is_unit else None


def _known(text: str) -> Unit | None:
    factor, powers, position, pending, below = Fraction(1), dict[str, int](), 0, 1, False
    while position < len(text):
        part = PART.match(text, position)
        if not part:
            return None
        position = part.end()
        sign = -1 if (part[1] or "") in ("/", "per") or (below and not part[1]) else 1
        below = below or part[1] == "/"
        name = part[2]
        if name.casefold() in POWER_WORDS and not part[3]:
            if name.casefold() in ("squared", "cubed"):
                return None if not powers else _raise_last(text)
            pending = POWER_WORDS[name.casefold()]
            continue
        found = _lookup(name)
        if found is None:
            return None
        power = sign * pending * int(part[3] or 1)
        pending = 1
        factor *= Fraction(found[0]) ** power
        for base in found[1].split():
            base, _, inverse = base.partition("-")
            powers[base] = powers.get(base, 0) + (-power if inverse else power)
    dimension = tuple(sorted((base, power) for base, power in powers.items() if power))
    return Unit(factor, dimension) if dimension else None


def _raise_last(text: str) -> Unit | None:
    raised = re.sub(r"\s+cubed\b", "^3", re.sub(r"\s+squared\b", "^2", text))
    return _known(raised) if raised != text else None


def _lookup(name: str) -> Definition | None:
    if name == "\\Omega":
        name = "ohm"
    if name in OTHER or name in METRIC:
        return OTHER.get(name) or METRIC[name]
    if name[0] in PREFIXES and name[1:] in METRIC:
        factor, bases = METRIC[name[1:]]
        return PREFIXES[name[0]] * factor, bases
    word = name.casefold()
    for candidate in (word, word.removesuffix("s"), word.removesuffix("es")):
        symbol = WORDS.get(candidate, candidate if candidate in OTHER and len(candidate) > 2 else None)
        if symbol:
            return OTHER.get(symbol) or METRIC[symbol]
        for prefix, short in PREFIX_WORDS.items():
            base = WORDS.get(candidate.removeprefix(prefix)) if candidate.startswith(prefix) else None
            if base in METRIC:
                factor, bases = METRIC[base]
                return PREFIXES[short] * factor, bases
    return None


def _singular(words: str) -> str:
    return " ".join(word.removesuffix("s") for word in words.split())
