"""Rows of the named datasets, each with its real columns, made into examples."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from exp.config.dataset import Source
from exp.data.examples import Example, Unusable

Row = Mapping[str, Any]

CALCULATOR_MARK = re.compile(r"<<[^<>]*>>")
JEE_KINDS = {"MCQ": "jee_mcq", "MCQ(multiple)": "jee_multiple", "Integer": "jee_integer", "Numeric": "jee_numeric"}
JEE_TASKS = {
    "MCQ": "Exactly one option is correct. Answer with its letter.",
    "MCQ(multiple)": "One or more options are correct. Answer with all their letters, such as AC.",
    "Integer": "Answer with a whole number.",
    "Numeric": "Answer with a decimal number.",
}


def column(row: Row, name: str) -> Any:
    """The value of a column. Raises `Unusable` if the row has none."""
    if row.get(name) is None:
        raise Unusable("missing column", f"no value for `{name}`; the row has {', '.join(map(str, row)) or 'nothing'}")
    return row[name]


def text_column(row: Row, name: str) -> str:
    """The value of a column that holds text. Raises `Unusable` for anything else."""
    value = column(row, name)
    if not isinstance(value, str):
        raise Unusable("malformed row", f"`{name}` holds {type(value).__name__}, not text")
    return value


def optional_text(row: Row, name: str) -> str | None:
    """The value of a column that holds text or nothing. Raises `Unusable` for anything else."""
    return None if row.get(name) is None else text_column(row, name)


def number_column(row: Row, name: str) -> float:
    """The value of a column that holds a number or its text. Raises `Unusable` for anything else."""
    value = column(row, name)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Unusable("malformed row", f"`{name}` holds {value!r}, not a number") from None


def gsm8k(row: Row, source: Source) -> Example:
    """`answer` is a rationale with calculator marks `<<48/2=24>>`, closed by `#### 24`."""
    rationale, mark, gold = text_column(row, "answer").rpartition("####")
    if not mark:
        raise Unusable("malformed row", "the answer has no `####`")
    reasoning = CALCULATOR_MARK.sub("", rationale).strip()
    return Example("", text_column(row, "question"), gold.strip().replace(",", ""), reasoning, kind="number")


def svamp(row: Row, source: Source) -> Example:
    """`Body` and `Question` make the question; the steps of `Equation`, such as `( 290.0 / 2.0 )`, make the trace."""
    gold = _plain_number(number_column(row, "Answer"))
    body, question = text_column(row, "Body").strip(), text_column(row, "Question").strip()
    if body and body[-1] not in ".?!,":
        body += "."
    return Example(
        str(row.get("ID") or ""),
        f"{body} {question}".strip(),
        gold,
        f"{_tidy_equation(text_column(row, 'Equation'))} = {gold}",
        kind="number",
        type=optional_text(row, "Type"),
    )


def math500(row: Row, source: Source) -> Example:
    """Competition problems with a LaTeX answer; `level` 1–5 becomes the type."""
    return Example(
        str(row.get("unique_id") or ""),
        text_column(row, "problem"),
        text_column(row, "answer"),
        kind="math",
        subject=optional_text(row, "subject"),
        type=f"level {row['level']}" if row.get("level") is not None else None,
    )


def jeebench(row: Row, source: Source) -> Example:
    """Entrance examination of the IITs: four types of questions, each verified in its own way."""
    question_type = text_column(row, "type")
    if question_type not in JEE_KINDS:
        raise Unusable("malformed row", f"unknown type {question_type!r}; known are {', '.join(JEE_KINDS)}")
    return Example(
        f"jeebench-{row.get('description', '')}-{column(row, 'index')}".replace(" ", "-"),
        f"{text_column(row, 'question').strip()}\n\n{JEE_TASKS[question_type]}",
        text_column(row, "gold").strip(),
        kind=JEE_KINDS[question_type],
        subject=optional_text(row, "subject"),
        type=question_type,
    )


def openr1_math(row: Row, source: Source) -> Example:
    """The first generation that is complete and that either checker judged correct."""
    generations = column(row, "generations")
    complete = row.get("is_reasoning_complete") or [True] * len(generations)
    checked = [row.get(name) or [False] * len(generations) for name in ("correctness_math_verify", "correctness_llama")]
    verdicts = zip(generations, complete, *checked, strict=False)
    good = [text for text, ended, by_rule, by_model in verdicts if text and ended and (by_rule or by_model)]
    if not good:
        raise Unusable("no complete generation was judged correct", f"of {len(generations)}")
    return Example(
        str(row.get("uuid") or ""),
        text_column(row, "problem"),
        text_column(row, "answer").strip() or None,
        completion=good[0],
        kind="math",
        subject=optional_text(row, "problem_type"),
        type=optional_text(row, "question_type"),
    )


def openthoughts3(row: Row, source: Source) -> Example:
    """One exchange of a person and a model; no answer column, so it feeds SFT alone. Option `domains` selects rows."""
    domains = source.options.get("domains")
    if domains and row.get("domain") not in domains:
        raise Unusable("domain not selected", str(row.get("domain")))
    turns = [(turn.get("from"), turn.get("value")) for turn in column(row, "conversations")]
    if [speaker for speaker, _ in turns] != ["human", "gpt"] or not all(isinstance(text, str) for _, text in turns):
        raise Unusable(
            "malformed row", f"expected one turn of human and gpt, found {[speaker for speaker, _ in turns]}"
        )
    return Example("", turns[0][1].strip(), completion=turns[1][1], kind="math", subject=optional_text(row, "domain"))


def _plain_number(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def _tidy_equation(equation: str) -> str:
    """`( ( 8.0 - 2.0 ) * 3.5 )` as `(8 - 2) * 3.5`."""
    tidy = re.sub(r"(\d+)\.0\b", r"\1", " ".join(equation.split()))
    tidy = tidy.replace("( ", "(").replace(" )", ")")
    in_one_pair = tidy.startswith("(") and tidy.endswith(")") and _balanced(tidy[1:-1])
    return tidy[1:-1] if in_one_pair else tidy


def _balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0
