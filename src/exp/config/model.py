"""The model group: where the weights are, the numbers planning needs, and what the chat template does."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from exp.config.group import Group


class Architecture(Group):
    """Sizes of a decoder-only transformer, as in its `config.json`, so that planning needs no download."""

    hidden_size: int = Field(gt=0)
    """Width of the residual stream."""
    num_layers: int = Field(gt=0)
    """Number of transformer blocks."""
    num_heads: int = Field(gt=0)
    """Query heads per block."""
    num_kv_heads: int = Field(gt=0)
    """Key-value heads per block."""
    head_dim: int = Field(gt=0)
    """Width of one head."""
    intermediate_size: int = Field(gt=0)
    """Width of the feed-forward layer."""
    vocab_size: int = Field(gt=0)
    """Rows of the embedding matrix."""
    max_positions: int = Field(gt=0)
    """Longest sequence the model was made for, in tokens."""
    tie_embeddings: bool
    """Whether the output layer shares the embedding matrix."""


class Model(Group):
    """A pretrained model: from the hub, from a local folder, or embedded in this package."""

    hub_id: str | None = None
    """Repository on the Hugging Face hub, such as `Qwen/Qwen3-8B`."""
    revision: str = "main"
    """Branch, tag or commit on the hub. A commit makes a run repeatable for ever."""
    path: str | None = None
    """Local folder used instead of the hub; same code, no network. `embedded:tiny` ships with this package."""
    package: str | None = None
    """Python package that ships the weights, used where it is installed and `path` is unset."""
    gguf_file: str | None = None
    """GGUF file inside the package or folder; its weights are dequantised once and kept in the store."""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """Precision of the weights in memory; `auto` is bfloat16 on a GPU that has it, float32 on a CPU."""
    stop_token: str | None = None
    """What the chat template writes after an assistant turn; checked against the loaded tokenizer when given."""
    template_options: dict[str, Any] = Field(default_factory=dict)
    """Arguments for the chat template, such as `enable_thinking: true` for Qwen3."""
    architecture: Architecture
    """Sizes for memory and time estimates; checked against the loaded model."""
