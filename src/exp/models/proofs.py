"""Proofs of a hand-off: something can be trained, the adapter matters, what was saved is what was trained."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from exp.errors import refuse

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedModel

Probe = list[dict[str, float]]
"""Per position of a fixed text, the log-probabilities of the likeliest next tokens, by token id."""

TOP = 32
POSITIONS = 8


def probe(model: PreTrainedModel | PeftModel, ids: list[int]) -> Probe:
    """Log-probabilities of the 32 likeliest next tokens after each of the last 8 tokens of `ids`."""
    import torch

    was_training = model.training
    model.eval()
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([ids], device=model.device)).logits[0, -POSITIONS:].float()
    model.train(was_training)
    values, tokens = torch.log_softmax(logits, dim=-1).topk(min(TOP, logits.shape[-1]), dim=-1)
    return [
        {str(t): float(v) for t, v in zip(row_t, row_v, strict=True)}
        for row_t, row_v in zip(tokens.tolist(), values.tolist(), strict=True)
    ]


def divergence(p: Probe, q: Probe) -> float:
    """KL(p ‖ q) in nats, averaged over positions.

    Only tokens that `p` names count; one that `q` does not name has the probability of `q`'s rarest.
    """
    total = 0.0
    for here, there in zip(p, q, strict=True):
        floor = min(there.values())
        total += sum(math.exp(lp) * (lp - there.get(token, floor)) for token, lp in here.items())
    return total / len(p)


def require_trainable(model: PreTrainedModel | PeftModel) -> int:
    """The number of trainable parameters.

    Raises `Refused` if there are none: such a run looks alive and learns nothing.
    """
    count = sum(p.numel() for p in model.parameters() if p.requires_grad)
    if not count:
        raise refuse("the model has no trainable parameters, so nothing could be learned", "lora", "lora=r16")
    return count


def require_same(before: Probe, after: Probe, tolerance: float, what: str) -> float:
    """The divergence between two probes that must agree. Raises `Refused` if it is above `tolerance` nats."""
    distance = divergence(before, after)
    if not distance <= tolerance:
        raise refuse(
            f"{what}: the next-token distributions differ by {distance:.3g} nats (at most {tolerance:g} expected)",
            "hand-off",
        )
    return distance


def require_adapter_matters(model: PeftModel, ids: list[int]) -> float:
    """The divergence between the model with and without its adapter. Raises `Refused` if there is none."""
    with_adapter = probe(model, ids)
    with model.disable_adapter():
        without = probe(model, ids)
    if with_adapter == without:
        raise refuse("the adapter does not change the model's output, so the trained weights are not used", "hand-off")
    return divergence(with_adapter, without)


def require_saved(model: PreTrainedModel | PeftModel, folder: Path) -> None:
    """Read the saved tensors back and compare them with the model's, one at a time.

    Raises `Refused` on the first difference.
    """
    import torch
    from peft import PeftModel, get_peft_model_state_dict
    from safetensors import safe_open

    state = get_peft_model_state_dict(model) if isinstance(model, PeftModel) else model.state_dict()
    files = sorted(folder.glob("*.safetensors"))
    seen = set()
    for file in files:
        with safe_open(file, framework="pt") as saved:
            for name in saved.keys():  # noqa: SIM118 - safe_open is not a mapping
                seen.add(name)
                if name not in state or not torch.equal(saved.get_tensor(name), state[name].detach().cpu()):
                    raise refuse(f"tensor {name!r} in {file.name} is not what was trained", str(folder))
    if not seen:
        raise refuse("nothing was saved", str(folder))
