"""The groups of rewards and evaluation: what is paid for, and how the result is measured."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from exp.config.group import Group


class Component(Group):
    """One term of the reward."""

    weight: float = 1.0
    """Factor of this term in the sum."""
    function: str | None = None
    """Name in the table of rewards, or `path/to/file.py:function`; the component's own name when unset."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Keyword arguments of the function."""


class Reward(Group):
    """The training reward: a weighted sum of components, each logged by itself."""

    components: dict[str, Component] = Field(min_length=1)
    """Terms by name."""
    audit: Literal["refuse", "warn"] = "refuse"
    """What GRPO does with a reward that fails the audit (golds unpaid, attacks paid): refuse, or say so and go on."""
    verifier: str | None = None
    """How an answer is compared with the gold; the dataset's own kind when unset. Or `path/to/file.py:function`."""


class Eval(Group):
    """How base, SFT and GRPO models are measured on held-out questions."""

    enabled: bool = True
    """Whether evaluation runs at all."""
    questions: int | None = Field(default=None, ge=1)
    """At most this many held-out questions; all of them when unset."""
    greedy: bool = True
    """One completion per question at temperature 0."""
    samples: int = Field(default=4, ge=0)
    """Sampled completions per question, for avg@n; 0 turns sampling off."""
    temperature: float = Field(default=1.0, gt=0)
    """Temperature of the sampled completions."""
    top_p: float = Field(default=1.0, gt=0, le=1)
    """Nucleus sampling; 1 is off."""
    base: bool = True
    """Evaluate the base model too, before anything is trained."""


class Engine(Group):
    """What generates completions in evaluation."""

    name: Literal["transformers"] = "transformers"
    """`transformers`: `generate` in this process."""
    batch_size: int = Field(default=64, ge=1)
    """Prompts generated together."""
