r"""A parser for the mathematics people write as answers: LaTeX or plain text to a small tree. It evaluates nothing.

    sum := ['+'|'-'] product (('+'|'-') product)*
    product := power (['*' | '/' | nothing] power)*
    power := atom ['!' | '%' | '^\circ'] ['^' exponent]
    atom := number | letter | (sum) | |sum| | \frac | \binom | \sqrt | \lfloor | function

Where writing is ambiguous: `2\frac{1}{2}` and `2 1/2` are mixed numbers, `3e8` is scientific notation, `\frac12` is one
half, `x^10` has the exponent 10, `\sin 2x + 1` is sin(2x) + 1.
"""

from __future__ import annotations

from functools import lru_cache

from exp.rewards.tokens import FUNCTIONS, GREEK, NotReadable, cut, number
from exp.rewards.tree import Node, integer

MAX_DEPTH = 40
MAX_LENGTH = 1000
MAX_FACTORS = 100  # of one product
MAX_POSTFIX = 8  # factorials, degree signs and exponents of one atom
PRODUCTS = ("*", "\\cdot", "\\times", "/", "\\div")


@lru_cache(maxsize=8192)
def parse_expression(text: str) -> Node:
    """The tree of `text` (already cleaned). Raises `NotReadable`."""
    if len(text) > MAX_LENGTH:
        raise NotReadable("too long for an expression")
    parser = _Parser(cut(text))
    tree = parser.sum(0)
    if parser.position < len(parser.tokens):
        raise NotReadable(f"unexpected {parser.peek()!r}")
    return tree


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.position = tokens, 0

    def peek(self, ahead: int = 0) -> str:
        index = self.position + ahead
        return self.tokens[index] if index < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.position += 1
        return token

    def expect(self, token: str) -> None:
        if self.take() != token:
            raise NotReadable(f"{token!r} is missing")

    def sum(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise NotReadable("nested too deeply")
        terms = [self.signed(depth)]
        while self.peek() in ("+", "-"):
            terms.append(self.signed(depth))
        return terms[0] if len(terms) == 1 else Node("add", tuple(terms))

    def signed(self, depth: int) -> Node:
        negative = False
        while self.peek() in ("+", "-"):
            negative ^= self.take() == "-"
        product = self.product(depth)
        return Node("neg", (product,)) if negative else product

    def product(self, depth: int, *, of_function: bool = False) -> Node:
        left = self.power(depth)
        for _ in range(MAX_FACTORS):
            token = self.peek()
            if token in PRODUCTS:
                if of_function and token not in ("\\cdot", "*"):
                    return left
                self.take()
                right = self.signed_power(depth)
                left = Node("div" if token in ("/", "\\div") else "mul", (left, right))
            elif self.starts_atom(token) and not (of_function and token[1:] in FUNCTIONS):
                left = self.juxtaposed(left, depth)
            else:
                return left
        raise NotReadable("too many factors")

    def signed_power(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise NotReadable("nested too deeply")
        if self.peek() in ("+", "-"):
            return Node("neg", (self.signed_power(depth + 1),)) if self.take() == "-" else self.signed_power(depth + 1)
        return self.power(depth)

    def juxtaposed(self, left: Node, depth: int) -> Node:
        """A factor written without a sign: a mixed number where an integer stands before a proper fraction."""
        whole = left.value if left.kind == "number" and not left.decimal else None
        if self.peek() == " ":
            self.take()
            if whole is None or self.peek(1) != "/":
                raise NotReadable("two numbers side by side")
            top = self.power(depth)
            self.expect("/")
            return _mixed(left, Node("div", (top, self.power(depth))))
        is_fraction = self.peek() == "\\frac"
        if left.kind == "number" and self.peek()[:1].isdigit():
            raise NotReadable("two numbers side by side")
        right = self.power(depth)
        is_mixed = whole is not None and is_fraction and _is_proper(right)
        return _mixed(left, right) if is_mixed else Node("mul", (left, right))

    def starts_atom(self, token: str) -> bool:
        if token in ("(", "{", " "):
            return True
        if token in ("[", "|"):
            return False
        is_command = token[:1] == "\\" and token[1:].isalpha() and token not in (*PRODUCTS, "\\rfloor", "\\rceil")
        return is_command or token[:1].isalnum() or token[:1] == "."

    def power(self, depth: int) -> Node:
        base = self.atom(depth)
        for count in range(MAX_POSTFIX + 1):
            if self.peek() not in ("!", "%", "^\\circ", "^", "'"):
                break
            if count == MAX_POSTFIX:
                raise NotReadable("too many exponents")
            sign = self.take()
            if sign == "!":
                base = Node("factorial", (base,))
            elif sign == "%":
                base = Node("div", (base, integer(100)))
            elif sign == "^\\circ":
                base = Node("mul", (base, Node("div", (Node("pi"), integer(180)))))
            elif sign == "'":
                raise NotReadable("a derivative")
            else:
                exponent = self.exponent(depth)
                base = Node("pow", (base, exponent))
        return base

    def exponent(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise NotReadable("nested too deeply")
        if self.peek() == "-":
            self.take()
            return Node("neg", (self.power(depth + 1),))
        exponent = self.atom(depth + 1)
        return Node("pow", (exponent, self.exponent(depth + 1))) if self.peek() == "^" and self.take() else exponent

    def group(self, depth: int) -> Node:
        self.expect("{")
        inside = self.sum(depth + 1)
        self.expect("}")
        return inside

    def atom(self, depth: int) -> Node:
        token = self.peek()
        if token == "(":
            self.take()
            inside = self.sum(depth + 1)
            self.expect(")")
            return inside
        if token == "{":
            return self.group(depth)
        if token == "|":
            self.take()
            inside = self.sum(depth + 1)
            self.expect("|")
            return Node("abs", (inside,))
        if token[:1].isdigit() or (token[:1] == "." and len(token) > 1):
            return number(self.take())
        if token.isalpha():
            return self.symbol(self.take(), depth)
        if token.startswith("\\") and len(token) > 2:
            return self.command(self.take()[1:], depth)
        raise NotReadable(f"unexpected {token!r}" if token else "it ends too early")

    def symbol(self, name: str, depth: int) -> Node:
        if name in ("e", "i"):
            return Node(name) if self.peek() != "_" else Node("symbol", name=name + self.subscript())
        return Node("symbol", name=name + self.subscript())

    def subscript(self) -> str:
        if self.peek() != "_":
            return ""
        self.take()
        if self.peek() != "{":
            return "_" + self.take()
        self.take()
        inside = []
        while self.peek() not in ("}", ""):
            inside.append(self.take())
        self.expect("}")
        return "_" + "".join(inside)

    def command(self, name: str, depth: int) -> Node:
        if name == "frac":
            return Node("div", (self.argument(depth), self.argument(depth)))
        if name == "binom":
            return Node("binom", (self.argument(depth), self.argument(depth)))
        if name == "sqrt":
            return self.root(depth)
        if name == "pi":
            return Node("pi")
        if name == "infty":
            return Node("infinity")
        if name in ("lfloor", "lceil"):
            inside = self.sum(depth + 1)
            self.expect("\\r" + name[1:])
            return Node("floor" if name == "lfloor" else "ceil", (inside,))
        if name == "text":
            return self.styled()
        if name in FUNCTIONS:
            return self.function(name, depth)
        if name in GREEK:
            return Node("symbol", name=name + self.subscript())
        raise NotReadable(f"the command \\{name}")

    def styled(self) -> Node:
        self.expect("{")
        letter = self.take()
        self.expect("}")
        if letter in ("e", "i"):
            return Node(letter)
        if len(letter) == 1 and letter.isalpha():
            return Node("symbol", name=letter + self.subscript())
        raise NotReadable("words")

    def argument(self, depth: int) -> Node:
        r"""A group, or a single character as in `\frac12` and `\sqrt3`."""
        if depth > MAX_DEPTH:
            raise NotReadable("nested too deeply")
        token = self.peek()
        if token.isdigit() and len(token) > 1:
            self.tokens[self.position] = token[1:]
            return number(token[0])
        return self.atom(depth + 1)

    def root(self, depth: int) -> Node:
        degree = None
        if self.peek() == "[":
            self.take()
            degree = self.sum(depth + 1)
            self.expect("]")
        token = self.peek()
        inside = number(self.take()) if token.isdigit() else self.argument(depth)
        return Node("root", (inside, degree or integer(2)))

    def function(self, name: str, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise NotReadable("nested too deeply")
        exponent = base = None
        while self.peek() in ("^", "_"):
            if self.take() == "^":
                exponent = self.exponent(depth + 1)
            else:
                base = self.argument(depth + 1)
        if name in ("min", "max", "gcd", "lcm"):
            arguments = self.arguments(depth)
        elif self.peek() in ("(", "{", "|"):
            arguments = (self.atom(depth + 1),)
        else:
            arguments = (self.product(depth + 1, of_function=True),)
        if base is not None:
            if name != "log":
                raise NotReadable(f"a subscript of {name}")
            arguments = (*arguments, base)
        if exponent is None:
            return Node(name, arguments)
        if exponent == Node("neg", (integer(1),)):
            return (
                Node("arc" + name, arguments)
                if "arc" + name in FUNCTIONS
                else Node("pow", (Node(name, arguments), exponent))
            )
        return Node("pow", (Node(name, arguments), exponent))

    def arguments(self, depth: int) -> tuple[Node, ...]:
        self.expect("(")
        arguments = [self.sum(depth + 1)]
        while self.peek() == ",":
            self.take()
            arguments.append(self.sum(depth + 1))
        self.expect(")")
        return tuple(arguments)


def _is_proper(fraction: Node) -> bool:
    if fraction.kind != "div":
        return False
    top, bottom = (arg.value for arg in fraction.args)
    return top is not None and bottom is not None and top < bottom


def _mixed(whole: Node, fraction: Node) -> Node:
    return Node("add", (whole, fraction))
