"""Loading base weights: one precision rule, safetensors only, and GGUF dequantised once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from exp.config.contracts import Backend
from exp.config.model import Architecture, Model
from exp.errors import Problem, Refused
from exp.models.source import Source

if TYPE_CHECKING:
    import torch
    from transformers import PretrainedConfig, PreTrainedModel


def choose_dtype(name: str) -> torch.dtype:
    """The torch precision for `model.dtype`; `auto` is bfloat16 on a GPU that computes in it and float32 elsewhere."""
    import torch

    if name == "auto":
        name = "bfloat16" if torch.cuda.is_available() and torch.cuda.is_bf16_supported() else "float32"
    return getattr(torch, name)


def load_base(source: Source, model: Model, backend: Backend) -> PreTrainedModel:
    """Load base weights on the CPU, in evaluation mode.

    Raises `Refused` if the configured architecture is not that of the weights.
    """
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.from_pretrained(source.location, revision=source.revision or "main")
    check_architecture(model.architecture, config)
    attention = {} if backend.attention == "auto" else {"attn_implementation": backend.attention}
    return AutoModelForCausalLM.from_pretrained(
        source.location,
        revision=source.revision or "main",
        dtype=choose_dtype(model.dtype),
        use_safetensors=True,
        trust_remote_code=False,
        **attention,
    ).eval()


def check_architecture(expected: Architecture, config: PretrainedConfig) -> None:
    """Compare the sizes that planning used with those of the weights. Raises `Refused` with every difference."""
    actual = {
        "hidden_size": config.hidden_size,
        "num_layers": config.num_hidden_layers,
        "num_heads": config.num_attention_heads,
        "num_kv_heads": config.num_key_value_heads,
        "head_dim": getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads,
        "intermediate_size": config.intermediate_size,
        "vocab_size": config.vocab_size,
        "tie_embeddings": config.tie_word_embeddings,
    }
    differing = [name for name, value in actual.items() if getattr(expected, name) != value]
    if differing:
        raise Refused(
            *(
                Problem(
                    f"is {getattr(expected, name)} in the configuration but {actual[name]} in the weights",
                    f"model.architecture.{name}",
                    f"model.architecture.{name}={str(actual[name]).lower()}",
                    "architecture",
                )
                for name in differing
            )
        )


def dequantise(source: Source, folder: Path) -> None:
    """Write the model of a GGUF file as bfloat16 safetensors with its tokenizer into `folder`.

    transformers marks a model read from GGUF as quantised and then refuses to save it, so the weights move into a fresh
    model.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    read = AutoModelForCausalLM.from_pretrained(source.location, gguf_file=source.gguf_file, dtype=torch.float32)
    config = read.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    fresh = type(read)(config)
    fresh.load_state_dict(read.state_dict())
    torch.nn.Module.to(fresh, torch.bfloat16)
    fresh.save_pretrained(folder)
    AutoTokenizer.from_pretrained(source.location, gguf_file=source.gguf_file).save_pretrained(folder)


def place(model: torch.nn.Module) -> torch.nn.Module:
    """Move a model to the GPU if there is one."""
    import torch

    return torch.nn.Module.to(model, "cuda" if torch.cuda.is_available() else "cpu")
