"""Identity: a hash of everything a stage's result depends on. Equal meaning, equal identity.

Hashed are the typed, resolved values, never the words that were typed. What cannot change a result is left out, and
only what stands in `NOT_HASHED`; whatever is added to the schema later is hashed unless it is added there too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

VERSIONS = {"base": 1, "data": 1, "sft": 1, "grpo": 1, "eval": 1}
"""Raised when a stage's code changes what it computes, so that no old artifact is taken for a new one."""

NOT_HASHED = {
    "reward": ("audit",),
    "sft": ("enabled", "save_steps", "logging_steps"),
    # The plan resolves phases, steps and start, and hashes what it found.
    "grpo": ("enabled", "save_steps", "logging_steps", "start_from", "phases", "steps"),
    "eval": ("enabled", "base"),
}
"""Fields, by group, that cannot change a stage's result.

Of the model, the content of the weights is hashed instead of where they lie; of the cluster, the number of devices.
The tracker, `outputs` and `label` are never hashed.
"""


def hashed_values(group: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a group's dumped values that belongs to an identity."""
    return {key: value for key, value in values.items() if key not in NOT_HASHED.get(group, ())}


def identity(stage: str, values: Mapping[str, Any], inputs: Mapping[str, str]) -> str:
    """Sixteen hexadecimal digits from a stage's version, its values and the identities of its inputs."""
    content = {"stage": stage, "version": VERSIONS[stage], "values": values, "inputs": inputs}
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()[:16]


def canonical_json(content: Any) -> str:
    """JSON with sorted keys, no spaces and no NaN; numbers keep their type, so values must come from a typed schema."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
