"""Evaluate a parsed expression within a budget: exactly in fractions while that is possible, else in complex floats.

Every operation is charged by the size of its numbers, so no expression, however hostile, takes more than milliseconds;
what would is `TooLarge`. Two expressions are equal if they agree at several fixed, arbitrary points (Schwartz-Zippel).
"""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

from exp.rewards.tree import Node, symbols

MAX_BITS = 40_000
BUDGET_BITS = 1_500_000
MAX_FACTORIAL = 3_000
POINTS = 4  # three with all variables positive, one with mixed signs

Value = Fraction | complex


class TooLarge(Exception):
    """A number too large to compute."""


class Undefined(Exception):
    """No finite value: a division by zero, infinity, a function outside its domain or unknown."""


class Evaluator:
    """Values of trees at one assignment of their variables. `scale` is the largest term of any rounded sum so far."""

    def __init__(self, point: int = 0) -> None:
        self.point = point
        self.scale = 0.0
        self.left = BUDGET_BITS

    def value(self, node: Node) -> Value:
        """The value of `node`. Raises `TooLarge` or `Undefined`."""
        try:
            return self._charged(self._value(node))
        except (ZeroDivisionError, ValueError) as error:
            raise Undefined(str(error)) from error
        except OverflowError as error:
            raise TooLarge(str(error)) from error

    def _charged(self, value: Value) -> Value:
        if isinstance(value, Fraction):
            bits = value.numerator.bit_length() + value.denominator.bit_length()
            self.left -= bits
            if bits > MAX_BITS or self.left < 0:
                raise TooLarge("more digits than can be computed")
            return value
        self.left -= 128
        if self.left < 0:
            raise TooLarge("more steps than can be computed")
        if math.isinf(value.real) or math.isinf(value.imag):
            raise TooLarge("a value beyond floating point")
        if math.isnan(value.real) or math.isnan(value.imag):
            raise Undefined("not a number")
        return value

    def _value(self, node: Node) -> Value:
        kind = node.kind
        if kind == "number":
            assert node.value is not None
            return node.value
        if kind == "symbol":
            return self._variable(node.name)
        if kind in CONSTANTS:
            return CONSTANTS[kind]
        if kind == "infinity":
            raise Undefined("infinity")
        args = [self.value(arg) for arg in node.args]
        if kind == "add":
            return self._sum(args)
        if kind == "neg":
            return -args[0]
        if kind == "mul":
            return _not_vanished(_arithmetic(operator.mul, *args), args)
        if kind == "div":
            return _not_vanished(_arithmetic(operator.truediv, *args), args[:1])
        if kind == "pow":
            return self._power(args[0], args[1])
        if kind == "root":
            return _root(args[0], args[1])
        if kind in INTEGER_FUNCTIONS:
            return _of_rationals(INTEGER_FUNCTIONS[kind], args)
        return self._function(kind, args)

    def _variable(self, name: str) -> Fraction:
        rng = Random(f"{name}@{self.point}")
        value = Fraction(rng.randrange(300, 2000), rng.choice((211, 223, 227, 229)))
        return -value if self.point == POINTS - 1 and rng.random() < 0.5 else value

    def _sum(self, terms: list[Value]) -> Value:
        exact = sum((t for t in terms if isinstance(t, Fraction)), Fraction(0))
        rounded = [t for t in terms if not isinstance(t, Fraction)]
        if not rounded:
            return exact
        rounded.append(complex(exact))
        self.scale = max(self.scale, *(abs(t) for t in rounded))
        return sum(rounded, 0j)

    def _power(self, base: Value, exponent: Value) -> Value:
        if isinstance(base, Fraction) and isinstance(exponent, Fraction):
            if exponent.denominator == 1:
                return _integer_power(base, exponent.numerator)
            if base >= 0 or exponent.denominator % 2 == 0 or exponent.denominator > 64:
                exact = _exact_root(base, exponent.denominator) if base >= 0 else None
                if exact is not None:
                    return _integer_power(exact, exponent.numerator)
                return _float(base) ** _float(exponent)
            return _root(_integer_power(base, exponent.numerator), Fraction(exponent.denominator))
        return _not_vanished(_float(base) ** _float(exponent), [base])

    def _function(self, kind: str, args: list[Value]) -> Value:
        if kind == "log":
            base = _float(args[1]) if len(args) > 1 else complex(10)
            return cmath.log(_float(args[0])) / cmath.log(base)
        if kind == "abs":
            return abs(args[0]) if isinstance(args[0], Fraction) else complex(abs(args[0]))
        if kind not in FLOAT_FUNCTIONS:
            raise Undefined(f"the function {kind}")
        argument = _float(args[0])
        if kind in PERIODIC:
            self.scale = max(self.scale, abs(argument), 1.0)
        result = FLOAT_FUNCTIONS[kind](argument)
        return _not_vanished(result, []) if kind == "exp" else result


def same_value(left: Node, right: Node, *, rounded: bool = False) -> bool:
    """Whether two trees have the same value at every point.

    `rounded` accepts a relative difference of 1e-8, for a decimal that stands for a value it cannot hold. Raises
    `TooLarge` or `Undefined` where a side has no value.
    """
    constant = not (symbols(left) | symbols(right))
    for point in range(1 if constant else POINTS):
        evaluator = Evaluator(point)
        try:
            a, b = evaluator.value(left), evaluator.value(right)
        except Undefined:
            if point == POINTS - 1 and not constant:
                continue
            raise
        beyond_reals = point == POINTS - 1 and not constant and not (_is_real(a) and _is_real(b))
        if not beyond_reals and not close(a, b, evaluator.scale, rounded):
            return False
    return True


def close(a: Value, b: Value, scale: float = 0.0, rounded: bool = False) -> bool:
    """Exact between fractions; with a float, 1e-10 relative (1e-8 if `rounded`) or the noise of cancelled terms.

    Raises `TooLarge` for a fraction beside a float that cannot hold it.
    """
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b or (rounded and abs(a - b) <= abs(b) / 10**8)
    try:
        left, right = complex(a), complex(b)
    except OverflowError as error:
        raise TooLarge(str(error)) from error
    difference, size = abs(left - right), max(abs(left), abs(right))
    return difference <= (1e-8 if rounded else 1e-10) * size or difference <= 1e-14 * scale


def _is_real(value: Value) -> bool:
    return isinstance(value, Fraction) or abs(value.imag) <= 1e-12 * abs(value)


def _arithmetic(operation: Callable[[Any, Any], Any], a: Value, b: Value) -> Value:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return operation(a, b)
    return operation(_float(a), _float(b))


def _float(value: Value) -> complex:
    """`value` as a float; a fraction too small for one is refused, for it would equal every other such fraction."""
    return _not_vanished(complex(value), [value])


def _not_vanished(result: Any, factors: list[Value]) -> Any:
    if isinstance(result, complex) and abs(result) < 1e-290 and all(factors):
        raise TooLarge("a value too small for floating point")
    return result


def _integer_power(base: Fraction, exponent: int) -> Fraction:
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if bits > 1 and bits * abs(exponent) > MAX_BITS:
        raise TooLarge("a power with more digits than can be computed")
    return base ** (exponent % 2) if base == -1 else base**exponent  # -1 to a huge power is cheap if reduced


def _root(base: Value, degree: Value) -> Value:
    """The real root where there is one (odd roots of negative numbers too), else the principal one."""
    if isinstance(degree, Fraction) and degree.denominator == 1 and isinstance(base, Fraction) and 0 < degree <= 64:
        n = degree.numerator
        sign = -1 if base < 0 and n % 2 else 1
        exact = _exact_root(sign * base, n)
        if exact is not None:
            return sign * exact
        if sign < 0:
            return -(complex(-base) ** (1 / n))
    return complex(base) ** (1 / complex(degree))


def _exact_root(base: Fraction, degree: int) -> Fraction | None:
    if base < 0 or degree > 64 or base.numerator.bit_length() > 4000:
        return None
    top, bottom = _integer_root(base.numerator, degree), _integer_root(base.denominator, degree)
    return None if top is None or bottom is None else Fraction(top, bottom)


def _integer_root(number: int, degree: int) -> int | None:
    if degree == 2:
        root = math.isqrt(number)
        return root if root * root == number else None
    low, high = 0, 1 << (number.bit_length() // degree + 1)
    while low < high:
        middle = (low + high) // 2
        if middle**degree < number:
            low = middle + 1
        else:
            high = middle
    return low if low**degree == number else None


def _of_rationals(function: Callable[..., Fraction | int], args: list[Value]) -> Fraction:
    exact = [a for a in args if isinstance(a, Fraction)]
    if len(exact) < len(args):
        raise Undefined("a whole number is needed")
    return Fraction(function(*exact))


def _whole(value: Fraction) -> int:
    if value.denominator != 1:
        raise Undefined("a whole number is needed")
    return value.numerator


def _factorial(value: Fraction) -> int:
    n = _whole(value)
    if n > MAX_FACTORIAL:
        raise TooLarge("a factorial with more digits than can be computed")
    return math.factorial(n)


def _binomial(n: Fraction, k: Fraction) -> int:
    if max(abs(n), abs(k)) > MAX_FACTORIAL:
        raise TooLarge("a binomial coefficient with more digits than can be computed")
    return math.comb(_whole(n), _whole(k))


CONSTANTS: dict[str, complex] = {"pi": complex(math.pi), "e": complex(math.e), "i": 1j}
INTEGER_FUNCTIONS: dict[str, Callable[..., Fraction | int]] = {
    "factorial": _factorial,
    "binom": _binomial,
    "floor": math.floor,
    "ceil": math.ceil,
    "min": min,
    "max": max,
    "gcd": lambda *numbers: math.gcd(*map(_whole, numbers)),
    "lcm": lambda *numbers: math.lcm(*map(_whole, numbers)),
}
FLOAT_FUNCTIONS: dict[str, Callable[[complex], complex]] = {
    "sin": cmath.sin,
    "cos": cmath.cos,
    "tan": cmath.tan,
    "cot": lambda x: 1 / cmath.tan(x),
    "sec": lambda x: 1 / cmath.cos(x),
    "csc": lambda x: 1 / cmath.sin(x),
    "arcsin": cmath.asin,
    "arccos": cmath.acos,
    "arctan": cmath.atan,
    "sinh": cmath.sinh,
    "cosh": cmath.cosh,
    "tanh": cmath.tanh,
    "ln": cmath.log,
    "lg": cmath.log10,
    "exp": cmath.exp,
}
PERIODIC = frozenset(("sin", "cos", "tan", "cot", "sec", "csc"))
