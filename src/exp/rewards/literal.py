"""Evaluate the Python expressions that describe long texts in case files, without ever running Python on them."""

from __future__ import annotations

import ast

MAX_LENGTH = 5_000_000
METHODS = ("strip", "lower", "upper", "join")


def read_literal(expression: str) -> str:
    """The text that `expression` describes: strings and integers with `+`, `*`, `chr()`, `.strip()`, `.join()`.

    Raises `ValueError` for anything else, and for texts above 5 million characters.
    """
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, RecursionError) as error:
        raise ValueError(f"not an expression: {error}") from error
    value = _value(tree.body)
    if not isinstance(value, str):
        raise ValueError("the expression is not a text")
    return value


def _value(node: ast.expr) -> str | int:
    if isinstance(node, ast.Constant) and type(node.value) in (str, int):
        return node.value  # type: ignore[return-value]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
        return _combined(_value(node.left), _value(node.right), isinstance(node.op, ast.Add))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords:
        return _method(node.func, node.args)
    is_chr = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "chr"
    if is_chr and isinstance(node, ast.Call) and len(node.args) == 1:
        code = _value(node.args[0])
        if isinstance(code, int) and 0 <= code < 0x110000:
            return chr(code)
    raise ValueError(f"only texts, integers, +, * and {', '.join(METHODS)} are read, not {ast.unparse(node)[:60]!r}")


def _combined(left: str | int, right: str | int, add: bool) -> str | int:
    if isinstance(left, str) and isinstance(right, str) and add:
        _check(len(left) + len(right))
        return left + right
    if isinstance(left, int) and isinstance(right, int):
        _check(max(abs(left), abs(right)))
        return left + right if add else left * right
    text, times = (left, right) if isinstance(left, str) else (right, left)
    if add or not isinstance(text, str) or not isinstance(times, int):
        raise ValueError("a text and an integer cannot be combined so")
    _check(len(text) * max(times, 0))
    return text * times


def _method(function: ast.Attribute, arguments: list[ast.expr]) -> str:
    owner = _value(function.value)
    if not isinstance(owner, str) or function.attr not in METHODS:
        raise ValueError(f"unknown method {function.attr!r}")
    if function.attr != "join" and not arguments:
        return {"strip": owner.strip, "lower": owner.lower, "upper": owner.upper}[function.attr]()
    if function.attr == "join" and len(arguments) == 1 and isinstance(arguments[0], ast.List | ast.Tuple):
        parts = [_value(element) for element in arguments[0].elts]
        if all(isinstance(part, str) for part in parts):
            _check(sum(len(str(part)) for part in parts) + len(owner) * len(parts))
            return owner.join(str(part) for part in parts)
    raise ValueError(f"unknown use of {function.attr!r}")


def _check(size: int) -> None:
    if size > MAX_LENGTH:
        raise ValueError(f"more than {MAX_LENGTH} characters")
