"""Find the option letters that a text of prose settles on."""

from __future__ import annotations

import re

CHOICE_KINDS = ("choice", "choices", "jee_mcq", "jee_multiple")

NONE_HOLD = "none"
SHORT = 60  # characters of a text in which any bare letter is the answer
LETTER = "[A-J]"
WRAPPED = re.compile(
    rf"\\(?:text|textbf|mathrm|mathbf|boldsymbol)\s*\{{\s*([(\[]?{LETTER}(?:,\s*{LETTER})*[)\]]?)\s*\}}"
)
BRACKETED = re.compile(rf"(?<![A-Za-z_^}}])[(\[]\s*({LETTER}(?:,\s*{LETTER})*)\s*[)\]]")
BARE = re.compile(rf"(?<![\w\\^{{$'’/(\[.-])({LETTER})(?![\w'’}}/^(\[]|\s*[=+*<>]|-\w)")
TOGETHER = re.compile(rf"(?<![A-Za-z\\(]){LETTER}{{2,4}}(?![A-Za-z])")
AFTER_NAME = re.compile(
    rf"\b(?i:options?|choices?|statements?)\s+((?:[(\[]?{LETTER}[)\]]?(?:\s*(?:,|and|&)\s*)*)+)(?![A-Za-z])"
)
ARTICLE = re.compile(r"\bA(?=\s+(?!and\b|or\b|is\b|are\b|was\b|because\b|since\b|as\b|which\b)[a-z])|\bI(?=\s+[a-z'])")
SENTENCE = re.compile(r"\n+|(?<=[.!?;])\s+(?=[A-Z$(\\*\[])")
REASON = re.compile(r",?\s(?:because|since|as it|as they|due to)\s")
ANNOUNCED = re.compile(
    r"\b(?:answers?|(?:correct|true|right|best|following)\s+(?:option|choice|statement|answer|matching|combination|pair)s?)"
    r"\b(?:\s*\([a-z]+\))?[^.:]{0,150}?(?:\b(?:is|are|be)\b(?:\s*\((?:is|are)\))?|[:=：])[\s:*]*"
    r"|\bis the (?:correct|right|best) (?:answer|option|choice)\b"
    r"|\b(?:choose|select|pick)\s+(?:option|choice|answer)?|\banswer\s*(?=[(\[][a-j][)\]])|^\W*(?:final )?answer\W*$",
    re.IGNORECASE,
)
CONCLUDING = re.compile(
    r"\b(?:therefore|hence|thus|so|in summary|in conclusion|overall|finally|conclude)\b", re.IGNORECASE
)
ONLY = re.compile(r"\bonly\b|\b(?:options|statements|choices|are)\b", re.IGNORECASE)
IS_OPTION = re.compile(rf"\b(?:is|are|to|option)\s*:?\s*[(\[]({LETTER})[)\]]", re.IGNORECASE)
HOLDS = re.compile(r"\b(?:correct|true|right|valid|holds?|possible)\b", re.IGNORECASE)
FAILS = re.compile(
    r"\b(?:incorrect|false|not given|wrong|invalid|ruled? out|eliminated?|impossible"
    r"|(?:not|cannot|isn't|aren't|never)\s+(?:\w+\s+){0,3}?(?:correct|true|right|valid|holds?|possible))\b",
    re.IGNORECASE,
)
DENIED = re.compile(
    rf"\b(?:not|neither|nor|isn't|than)\s+(?:the\s+)?(?:option\s+)?[(\[]?{LETTER}[)\]]?(?![A-Za-z])", re.IGNORECASE
)
NONE = re.compile(r"\bnone\b", re.IGNORECASE)
EVERY = re.compile(r"\ball\b[^.(]{0,40}\b(?:options|statements|choices|expressions|above)\b", re.IGNORECASE)


def find_options(text: str, several: bool) -> str | None:
    """The letters the text settles on, sorted, such as `AC`; None if it settles on none.

    Read is the last sentence that announces an answer ("the correct options are"), else the last conclusion about an
    option, else, where `several` may be right, every option called correct by itself. What is called wrong is left out.
    """
    text = unwrapped(text)
    sentences = [sentence for sentence in SENTENCE.split(text) if sentence.strip()]
    for position in reversed(range(len(sentences))):
        if announcement := _last(ANNOUNCED, sentences[position]):
            after = sentences[position][announcement.end() :].strip(" .:")
            # "The answers are:" and a line for each; four lines without a judgement only repeat the options.
            lines = "" if after else "; ".join(sentences[position + 1 : position + 5])
            repeats = not HOLDS.search(lines) and len(letters_named(lines, bare=True) or "") >= 4
            listed = "" if repeats else lines
            readings = (_settled(said, several, bare=True) for said in (after, sentences[position], listed))
            settled = next((reading for reading in readings if reading), None)
            if settled:
                return None if settled == NONE_HOLD else settled
    alone = sorted({letter for s in sentences if HOLDS.search(s) for letter in letters_named(s, bare=False) or ""})
    for sentence in reversed(sentences):
        settled = _settled(sentence, several, bare=False) if CONCLUDING.search(sentence) else None
        if settled == NONE_HOLD:
            return None
        if settled and several and len(settled) == 1 and not ONLY.search(sentence):
            return "".join(sorted({settled, *alone}))  # each option has its own conclusion
        if settled:
            return settled
    if alone and (several or len(alone) == 1):
        return "".join(alone)
    ending = IS_OPTION.search(sentences[-1]) if sentences else None
    if ending:
        return ending[1]
    return letters_named(text, bare=True) if len(text.strip()) <= SHORT else None


def unwrapped(text: str) -> str:
    r"""`text` with letters in bold or `\textbf{(A)}` written bare, and without the Roman numeral I of a list I, II."""
    text = WRAPPED.sub(r"\1", text.replace("**", "").replace("\\text{ and }", " and "))
    text = re.sub(rf"\$\s*({LETTER})\s*\$", r"\1", text)
    return re.sub(r"\bI\b", "", text) if "II" in text else text


def _settled(said: str, several: bool, bare: bool) -> str | None:
    """The letters a sentence settles on; `NONE_HOLD` if it says that none is right, None if it says nothing."""
    if NONE.search(said):
        return NONE_HOLD
    if letters := letters_named(said, bare):
        return letters
    return "ABCD" if several and EVERY.search(said) and (bare or HOLDS.search(said)) else None


def letters_named(sentence: str, bare: bool) -> str | None:
    """The letters of a sentence, sorted, without those denied before them or by the next word of truth after them."""
    said = REASON.split(sentence, maxsplit=1)[0]
    said = ARTICLE.sub(" ", DENIED.sub(" ", said))
    judgements = sorted(
        (m.start(), holds) for rule, holds in ((HOLDS, True), (FAILS, False)) for m in rule.finditer(said)
    )
    found = set()
    for position, letter in _letters(said, bare):
        following = next((holds for start, holds in judgements if start > position), True)
        if following:
            found.add(letter)
    return "".join(sorted(found)) or None


def _letters(text: str, bare: bool) -> list[tuple[int, str]]:
    bracketed = [(m.start(), c) for m in BRACKETED.finditer(text) for c in m[1] if c.isalpha()]
    if bracketed:
        return bracketed
    named = [(m.start(1), c) for m in AFTER_NAME.finditer(text) for c in m[1] if c in "ABCDEFGHIJ"]
    if named or not bare:
        return named
    if together := TOGETHER.search(text):
        return [(together.start(), letter) for letter in together.group()]
    return [(m.start(), m[1]) for m in BARE.finditer(text)]


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return found[-1] if found else None
