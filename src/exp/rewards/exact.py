"""Kind `exact`: the same text."""

from __future__ import annotations

from exp.rewards.notation import plain
from exp.rewards.verdict import Verification, right, wrong


def verify_exact(answer: str, gold: str) -> Verification:
    """Right if both texts are the same, up to case, blanks, `\\text{}` and punctuation at the ends."""
    said, wanted = plain(answer), plain(gold)
    same = said == wanted if said or wanted else answer.strip() == gold.strip()
    return right("same text") if same else wrong("different text")
