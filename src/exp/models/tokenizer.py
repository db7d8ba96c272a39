"""Loading a tokenizer so that padding is on the left and the padding token is never the stop token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exp.errors import refuse
from exp.models.source import Source

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

PAD_CANDIDATES = ("<|endoftext|>", "<|finetune_right_pad_id|>", "<|fim_pad|>", "<pad>", "[PAD]", "<unk>")
"""Tokens of common vocabularies that can serve as padding, in order of preference."""


def load_tokenizer(source: Source) -> PreTrainedTokenizerBase:
    """Load the tokenizer of a base model. Raises `Refused` where no token but the stop token could pad."""
    from transformers import AutoTokenizer

    options = {"gguf_file": source.gguf_file} if source.gguf_file else {"revision": source.revision or "main"}
    tokenizer = AutoTokenizer.from_pretrained(source.location, **options)
    if tokenizer.pad_token_id is None or tokenizer.pad_token_id == tokenizer.eos_token_id:
        vocabulary = tokenizer.get_vocab()
        found = next((t for t in PAD_CANDIDATES if t in vocabulary and vocabulary[t] != tokenizer.eos_token_id), None)
        if found is None:
            raise refuse(
                f"the tokenizer of {source.location!r} has no token that could pad without being the stop token",
                "model",
            )
        tokenizer.pad_token = found
    tokenizer.padding_side = "left"
    return tokenizer
