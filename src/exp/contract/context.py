"""The length contract: one budget from which the four lengths of a pipeline follow."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from exp.config.contracts import Context


@dataclass(frozen=True)
class Lengths:
    """All lengths in tokens.

    `total` is the SFT sequence limit and the rollout engine's length, `prompt` the longest prompt that is kept,
    `completion` the limit of GRPO rollouts and of evaluation alike.
    """

    total: int
    prompt: int
    completion: int

    def as_dict(self) -> dict[str, int]:
        """Plain mapping for JSON."""
        return asdict(self)


def lengths(context: Context) -> Lengths:
    """The lengths: prompt = floor(total · prompt_share), completion = total − prompt, both at least one token."""
    prompt = min(max(1, int(context.total * context.prompt_share)), context.total - 1)
    return Lengths(total=context.total, prompt=prompt, completion=context.total - prompt)
