"""Generating completions with transformers: left-padded batches, each with a seed, so that any can be repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from exp.rewards.judge import Completion

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True)
class Sampling:
    """How completions are drawn; temperature 0 is greedy."""

    max_new_tokens: int
    temperature: float = 0.0
    top_p: float = 1.0
    samples: int = 1
    """Completions per prompt."""


def generate(
    model: Any,
    tokenizer: PreTrainedTokenizerBase,
    prompts: Sequence[list[int]],
    stop_ids: list[int],
    opened: bool,
    sampling: Sampling,
    seed: int,
) -> list[list[Completion]]:
    """Completions of each prompt (token ids), `sampling.samples` per prompt, without the stop token.

    `model` is a causal language model of transformers, with or without an adapter of PEFT.
    """
    import torch

    longest = max(len(p) for p in prompts)
    pad = tokenizer.pad_token_id
    ids = torch.tensor([[pad] * (longest - len(p)) + p for p in prompts], device=model.device)
    mask = torch.tensor([[0] * (longest - len(p)) + [1] * len(p) for p in prompts], device=model.device)
    greedy = sampling.temperature == 0
    drawing = (
        {"do_sample": False}
        if greedy
        else {"do_sample": True, "temperature": sampling.temperature, "top_p": sampling.top_p, "top_k": 0}
    )
    torch.manual_seed(seed)
    with torch.no_grad():
        output = model.generate(
            input_ids=ids,
            attention_mask=mask,
            max_new_tokens=sampling.max_new_tokens,
            num_return_sequences=sampling.samples,
            eos_token_id=stop_ids,
            pad_token_id=pad,
            **drawing,
        )
    written = [_read(row, tokenizer, set(stop_ids), opened) for row in output[:, longest:].tolist()]
    return [written[i : i + sampling.samples] for i in range(0, len(written), sampling.samples)]


def _read(row: list[int], tokenizer: PreTrainedTokenizerBase, stops: set[int], opened: bool) -> Completion:
    """Cut a generated row at its first stop token; without one it hit the length limit."""
    end = next((i for i, token in enumerate(row) if token in stops), None)
    kept = row if end is None else row[:end]
    text = tokenizer.decode(kept, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return Completion(str(text), ended=end is not None, opened=opened, num_tokens=len(kept) + (end is not None))
