r"""One way of writing mathematics: Unicode signs become LaTeX, and what only concerns layout disappears."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MAX_ANSWER = 4000
"""Characters of an answer that are read at all; longer ones are compared as text only."""

SIGNS = {
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "×": r"\times ", "·": r"\cdot ", "⋅": r"\cdot ", "∙": r"\cdot ",
    "÷": r"\div ", "∕": "/", "⁄": "/", "√": r"\sqrt ", "π": r"\pi ", "θ": r"\theta ", "α": r"\alpha ", "β": r"\beta ",
    "λ": r"\lambda ", "ω": r"\omega ", "∞": r"\infty ", "≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", "≈": r"\approx ",
    "∪": r"\cup ", "∩": r"\cap ", "∈": r"\in ", "∅": r"\emptyset ", "±": r"\pm ", "°": r"^\circ ", "ℝ": r"\mathbb{R}",
    "…": r"\ldots ", "⟨": r"\langle ", "⟩": r"\rangle ", "∣": "|", "％": "%", "，": ",", "：": ":", "。": ".",
    "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u200b": "", "\ufeff": "", "Ω": r"\Omega ", "µ": "μ",
}  # fmt: skip
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n")
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
SIGN = re.compile("[" + re.escape("".join(SIGNS)) + "]")
RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ]+")
LOWERED = re.compile("[₀₁₂₃₄₅₆₇₈₉]+")

LAYOUT = re.compile(
    r"\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|nolimits|boldmath|hfill|mathstrut)(?![A-Za-z])\.?"
)
SPACING = re.compile(r"\\\\\s*$|\\\\|\\(?:quad|qquad|enspace|thinspace|[;:> ])|~")
SYNONYMS = {
    r"\dfrac": r"\frac", r"\tfrac": r"\frac", r"\cfrac": r"\frac", r"\leq": r"\le", r"\geq": r"\ge", r"\neq": r"\ne",
    r"\leqslant": r"\le", r"\geqslant": r"\ge", r"\lt": "<", r"\gt": ">", r"\lbrace": r"\{", r"\rbrace": r"\}",
    r"\varnothing": r"\emptyset", r"\dots": r"\ldots", r"\cdots": r"\ldots", r"\colon": ":", r"\degree": r"^\circ",
    r"\dbinom": r"\binom", r"\tbinom": r"\binom", r"\lvert": "|", r"\rvert": "|", r"\vert": "|", r"\mid": "|",
    r"\simeq": r"\approx", r"\thickapprox": r"\approx", r"\ast": "*", r"\lbrack": "[", r"\rbrack": "]", r"\mu": "μ",
    r"\lor": r"\text{ or }", r"\vee": r"\text{ or }", r"\land": r"\text{ and }", r"\wedge": r"\text{ and }",
}  # fmt: skip
COMMAND = re.compile(r"\\[A-Za-z]+")
CONTROL = re.compile(r"[\x00-\x20\x7f]+")
TEXT = r"\\(?:text(?:rm|bf|it|sf|tt|normal)?|[mh]box|math(?:rm|bf|it|sf|cal)|boldsymbol|bm|operatorname)\*?"
STYLED = re.compile(TEXT + r"\s*\{((?:[^{}\\]|\\[ ,;:!~%$]|\{[^{}\\]*\})*)\}")
WRAPPED = re.compile(r"\\text\s*\{([^{}]*)\}")
BOX = re.compile(r"\\(?:boxed|fbox)\s*(?=\{)")
THOUSANDS = re.compile(r"(?<=\d)(?:\{,\}|,\\!)\s*(?=\d)|(?<=\d)\\[,!](?=\d{3}(?!\d))")


@lru_cache(maxsize=8192)
def clean(text: str) -> str:
    r"""`text` with one spelling for each sign; `\text{...}` of any style is kept as `\text{...}`."""
    text = text[:MAX_ANSWER]
    if not text.isascii():
        text = _ascii_signs(text)
    text = CONTROL.sub(" ", text)
    if "((" in text or "{{" in text:
        text = _without_double_brackets(text)
    if "\\" not in text and not set("$*~{}") & set(text):
        return text.strip()
    text = text.replace("\\$", "$").replace("\\%", "%").replace("**", "").replace("$", "")
    text = re.sub(r"\\[()\[\]]", " ", text)
    text = THOUSANDS.sub("", BOX.sub("", text))
    text = text.replace(r"\,", " ").replace(r"\!", "")
    text = LAYOUT.sub("", text)
    text = SPACING.sub(lambda m: m.group() if m.group() == "\\\\" else " ", text)  # a row of a matrix ends in `\\\\`
    text = COMMAND.sub(lambda m: SYNONYMS.get(m.group(), m.group()), text)
    text = STYLED.sub(lambda m: "\\text{" + m[1] + "}", text)
    return text.replace("^{^\\circ}", "^\\circ").replace("^{\\circ}", "^\\circ").replace("^^", "^").strip()


def _without_double_brackets(text: str) -> str:
    """`((x))` as `(x)`, and so for braces: deep but empty nesting then costs nothing."""
    partner: dict[int, int] = {}
    stack: list[int] = []
    for index, character in enumerate(text):
        if index and text[index - 1] == "\\":
            continue
        if character in "({":
            stack.append(index)
        elif character in ")}" and stack:
            start = stack.pop()
            if text[start] + character in ("()", "{}"):
                partner[start] = index
    doubled = {
        (start, end)
        for start, end in partner.items()
        if partner.get(start + 1) == end - 1 and text[start] == text[start + 1]
    }
    drop = {index for pair in doubled for index in pair}
    return "".join(character for index, character in enumerate(text) if index not in drop)


def _ascii_signs(text: str) -> str:
    text = RAISED.sub(lambda m: "^{" + m.group().translate(SUPERSCRIPTS) + "}", text)
    text = LOWERED.sub(lambda m: "_{" + m.group().translate(SUBSCRIPTS) + "}", text)
    text = re.sub(r"√\s*(\d+)", r"\\sqrt{\1}", text)
    text = "".join(_fraction(c) for c in text)
    text = SIGN.sub(lambda m: SIGNS[m.group()], text)
    return unicodedata.normalize("NFKC", text)


def _fraction(character: str) -> str:
    if unicodedata.decomposition(character).startswith("<fraction>"):
        top, _, bottom = unicodedata.normalize("NFKC", character).partition("⁄")
        return rf"\frac{{{top}}}{{{bottom}}}" if top and bottom else character
    return character


def plain(text: str) -> str:
    r"""`text` for comparison by spelling: cleaned, without `\text{}`, case, doubled blanks, punctuation at the ends."""
    return " ".join(WRAPPED.sub(r" \1 ", clean(text)).split()).strip(" .,;:!\"'").casefold()
