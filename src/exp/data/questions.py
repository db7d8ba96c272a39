"""When two questions are the same: exactly, apart from their numbers, or nearly."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from heapq import heappush, heappushpop
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datasketch import MinHash, MinHashLSH

SPACE = re.compile(r"\s+")
STOP_MARK = re.compile(r"[.,;:?\"'](?!\d)")  # the point of 3.5 counts, the one that ends a sentence does not
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
SHINGLE = 3
PERMUTATIONS = 64
BANDS, ROWS_PER_BAND = 8, 8  # finds 99 % of the pairs that are 90 % alike
REMEMBERED = 200_000


def normalise(question: str) -> str:
    """Lower case, one kind of blank, no punctuation: what two copies of a question have in common."""
    text = unicodedata.normalize("NFKC", question).casefold()
    return SPACE.sub(" ", STOP_MARK.sub("", text)).strip()


def digest(text: str, seed: int = 0) -> int:
    """64 bits of a seeded hash, the same in every process."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8, salt=seed.to_bytes(8, "little")).digest(), "big")


def question_digest(question: str) -> int:
    """Equal for questions that are equal after `normalise`."""
    return digest(normalise(question))


def masked_digest(question: str) -> int:
    """Equal for questions that differ only in their numbers."""
    return digest(NUMBER.sub("#", normalise(question)))


def choose(questions: Iterable[str], n: int, seed: int) -> list[int]:
    """Digests of `n` questions in the order of a seeded hash of their text, whatever order they come in.

    Memory grows with `n`, not with the number of questions. Fewer come back if there are fewer different ones.
    """
    smallest: list[tuple[int, int]] = []  # a heap of (minus hash, digest): the largest hash is the first to go
    inside: set[int] = set()
    for question in questions:
        own = question_digest(question)
        if own in inside:
            continue
        entry = (-digest(normalise(question), seed + 1), own)
        inside.add(own)
        if len(smallest) < n:
            heappush(smallest, entry)
        else:
            inside.discard(heappushpop(smallest, entry)[1])
    return [own for _, own in sorted(smallest, reverse=True)]


class Duplicates:
    """The questions already kept. Exact copies are counted without limit, similar ones among the first 200,000 kept."""

    def __init__(self, near: float | None, copies: int = 1) -> None:
        self._near = near
        self._copies = copies
        self._seen: dict[int, int] = {}
        self._kept: list[tuple[MinHash, str]] = []
        self._latest: tuple[str, MinHash] | None = None
        self._index = None if near is None else _new_index()

    def reason(self, question: str, answer: str) -> str | None:
        """Why this question is not new, or None. Similar questions count only if their answers are equal."""
        if self._seen.get(question_digest(question), 0) >= self._copies:
            return "duplicate question"
        if self._index is None or self._near is None or question_digest(question) in self._seen:
            return None
        signature = self._signature(question)
        for key in self._index.query(signature):
            other, its_answer = self._kept[key]
            if its_answer == answer and signature.jaccard(other) >= self._near:
                return "near-duplicate question"
        return None

    def keep(self, question: str, answer: str) -> None:
        """Remember a question that has passed every other check."""
        own = question_digest(question)
        known = self._seen.get(own, 0)
        self._seen[own] = known + 1
        if self._index is not None and not known and len(self._kept) < REMEMBERED:
            signature = self._signature(question)
            self._index.insert(len(self._kept), signature, check_duplication=False)
            self._kept.append((signature, answer))

    def _signature(self, question: str) -> MinHash:
        """Signed once although a question that is new is looked up and then kept."""
        if self._latest is None or self._latest[0] != question:
            self._latest = (question, _sign(question))
        return self._latest[1]


def _new_index() -> MinHashLSH:
    from datasketch import MinHashLSH

    return MinHashLSH(num_perm=PERMUTATIONS, params=(BANDS, ROWS_PER_BAND))


@cache
def _blank() -> MinHash:
    """Copied instead of made anew: drawing the permutations takes longer than signing."""
    from datasketch import MinHash

    return MinHash(num_perm=PERMUTATIONS, seed=1)


def _sign(question: str) -> MinHash:
    words = normalise(question).split()
    shingles = [" ".join(words[i : i + SHINGLE]).encode() for i in range(max(1, len(words) - SHINGLE + 1))]
    signature = _blank().copy()
    signature.update_batch(shingles)
    return signature
