"""The groups that several stages must agree on: format (tags), context (lengths), LoRA, generations."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from exp.config.group import Group


class Format(Group):
    """How a completion marks its reasoning and its answer, and the system prompt that asks for it.

    Reasoning tags may be empty strings (free text before the answer); so may answer tags if `answer_in_box` is true.
    """

    system_prompt: str
    """Sent before every question, in SFT, GRPO and evaluation alike."""
    reasoning_open: str = ""
    """Opening tag of the reasoning, such as `<think>`."""
    reasoning_close: str = ""
    """Closing tag of the reasoning."""
    answer_open: str = ""
    """Opening tag of the answer, such as `<answer>`."""
    answer_close: str = ""
    """Closing tag of the answer."""
    answer_in_box: bool = False
    r"""Whether the answer stands in the last balanced `\boxed{}` of the part that follows the reasoning."""
    min_reasoning_chars: int = Field(default=3, ge=1)
    """Non-blank characters a reasoning block must hold to count as reasoning."""

    @model_validator(mode="after")
    def _tags_come_in_pairs(self) -> Format:
        if bool(self.reasoning_open) != bool(self.reasoning_close):
            raise ValueError("reasoning_open and reasoning_close must both be set or both be empty")
        if bool(self.answer_open) != bool(self.answer_close):
            raise ValueError("answer_open and answer_close must both be set or both be empty")
        if not self.answer_open and not self.answer_in_box:
            raise ValueError("the answer must be marked: set answer_open and answer_close, or answer_in_box=true")
        tags = [t for t in (self.reasoning_open, self.reasoning_close, self.answer_open, self.answer_close) if t]
        if len(set(tags)) < len(tags):
            raise ValueError(f"the tags must differ from each other, got {tags}")
        return self


class Context(Group):
    """One token budget from which SFT length, prompt filter, completion length and evaluation limit follow."""

    total: int = Field(ge=32)
    """Tokens of prompt and completion together."""
    prompt_share: float = Field(default=0.5, gt=0, lt=1)
    """Share of `total` reserved for the prompt; longer prompts are dropped, counted and reported."""


class Lora(Group):
    """Low-rank adapters (PEFT). Rank 0 trains all weights instead."""

    rank: int = Field(ge=0)
    """Rank of the adapter matrices; 0 for full fine-tuning."""
    alpha: int = Field(default=32, gt=0)
    """Scale: the update is multiplied by alpha / rank."""
    dropout: float = Field(default=0.0, ge=0, lt=1)
    """Dropout on the adapter's input."""
    target_modules: str | list[str] = "all-linear"
    """Which linear layers get an adapter (PEFT `target_modules`)."""
    rank_stabilized: bool = False
    """Scale by alpha / sqrt(rank) instead (arXiv 2312.03732)."""


class Generations(Group):
    """How many completions GRPO samples for one prompt."""

    num_generations: int = Field(ge=2)
    """Group size G; advantages compare a completion with the others of its group."""


class Backend(Group):
    """Which library loads and patches the model."""

    name: Literal["hf"] = "hf"
    """`hf`: transformers and PEFT."""
    attention: Literal["auto", "eager", "sdpa", "flash_attention_2"] = "auto"
    """Attention implementation; `auto` lets transformers choose."""
