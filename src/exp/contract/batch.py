"""The batch contract: devices and generations must divide the effective batch; where they do not, the smallest fix."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import lcm

from exp.errors import Problem


@dataclass(frozen=True)
class Batch:
    """What one optimiser step sees."""

    effective: int
    """Sequences or completions per optimiser step, over all devices."""
    micro: int
    """Sequences per device and forward pass."""
    accumulation: int
    """Forward passes per optimiser step."""
    world_size: int
    """Devices."""
    prompts: int
    """Different prompts per optimiser step (GRPO); equals `effective` for SFT."""

    def as_dict(self) -> dict[str, int]:
        """Plain mapping for JSON."""
        return asdict(self)


def split_batch(effective: int, micro: int, world_size: int, num_generations: int = 1) -> Batch:
    """Split an effective batch that `batch_problems` accepts.

    The micro-batch is lowered to the largest divisor of the per-device share, which changes memory and speed but not
    the result's meaning.
    """
    share = effective // world_size
    fitting = max(d for d in _divisors(share) if d <= micro)
    return Batch(effective, fitting, share // fitting, world_size, effective // num_generations)


def batch_problems(group: str, effective: int, world_size: int, num_generations: int = 1) -> list[Problem]:
    """What keeps `effective` from being split over devices and groups, each with the smallest change that helps.

    A GRPO step needs whole groups (`effective` divisible by `num_generations`, TRL `generation_batch_size`) and the
    same share on every device (divisible by `world_size`). `group` is the configuration group, `sft` or `grpo`.
    """
    size = f"{group}.batch_size={_nearest_multiple(effective, lcm(world_size, num_generations))}"
    if effective % num_generations:
        what = f"{effective} completions per step cannot be split into groups of {num_generations}"
        groups = [] if effective % world_size else _nearest_divisors(effective, num_generations)
        fix = ", or ".join([*(f"generations.num_generations={g}" for g in groups), size])
        return [Problem(what, f"{group}.batch_size and generations.num_generations", fix, "batch")]
    if effective % world_size:
        what = f"{effective} sequences per step cannot be shared equally by {world_size} devices"
        return [Problem(what, f"{group}.batch_size", size, "batch")]
    return []


def _divisors(n: int) -> list[int]:
    return [d for d in range(1, n + 1) if n % d == 0]


def _nearest_divisors(effective: int, wanted: int) -> list[int]:
    """The divisors of `effective` next below and next above `wanted` that are group sizes (at least 2)."""
    divisors = [d for d in _divisors(effective) if d >= 2]
    below = [d for d in divisors if d < wanted][-1:]
    above = [d for d in divisors if d > wanted][:1]
    return below + above


def _nearest_multiple(value: int, step: int) -> int:
    """The multiple of `step` nearest to `value`, at least `step`; the smaller one on a tie."""
    lower = value // step * step
    return lower + step if lower == 0 or value - lower > step - (value - lower) else lower
