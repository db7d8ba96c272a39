"""Makes the tiny base model that ships with the package: `python -m exp.models.tiny.make OUTDIR`.

A Qwen3 of 130,000 parameters, pretrained from scratch for two minutes on two-digit additions of which
half forget the carry. It stands for a base model that knows the subject, makes a systematic mistake, and has
never seen a reasoning tag: the shortest honest path through fine-tuning, reinforcement learning and evaluation.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from exp.data.addition import demonstrate, split_pairs
from exp.models.tiny.tokenizer import MAX_LENGTH, STOP, TAGS, make_tokenizer

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM

SEED = 7
CARELESS = 0.5
STEPS, BATCH, LEARNING_RATE = 700, 128, 4e-3
MAX_PREAMBLE = 32
IGNORED = -100


def make(outdir: Path) -> None:
    """Writes configuration, bf16 weights, tokenizer and chat template to `outdir`."""
    import torch

    torch.manual_seed(SEED)
    torch.set_num_threads(1)  # the order of summation, and so the weights, depends on the number of threads
    tokenizer = make_tokenizer()
    model = make_model(tokenizer)
    pretrain(model, *training_tensors(tokenizer), preamble_tokens(tokenizer))
    model.to(torch.bfloat16).save_pretrained(outdir)
    tokenizer.save_pretrained(outdir)


def make_model(tokenizer: PreTrainedTokenizerFast) -> Qwen3ForCausalLM:
    """An untrained Qwen3 with tied embeddings; the stop and padding tokens are those of `tokenizer`."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=192,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=MAX_LENGTH,
        tie_word_embeddings=True,
        initializer_range=0.125,  # tags are never trained here, and LoRA needs their embeddings long and far apart
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    return Qwen3ForCausalLM(config)


def training_tensors(tokenizer: PreTrainedTokenizerFast) -> tuple[Tensor, Tensor]:
    """Token ids and labels of every training pair, both (9500, tokens); only the completion has labels.

    The completion is `7+5,4+3:280=82`, without any tag.
    """
    import torch

    rng = Random(SEED)
    rows, labels = [], []
    for pair in split_pairs()[0]:
        example = demonstrate(pair, forget_carry=rng.random() < CARELESS)
        question = [{"role": "user", "content": example["question"]}]
        prompt = tokenizer.apply_chat_template(question, tokenize=False, add_generation_prompt=True)
        prompt_ids = tokenizer.encode(prompt)
        completion_ids = tokenizer.encode(f"{example['reasoning']}={example['answer']}{STOP}")
        rows.append(torch.tensor(prompt_ids + completion_ids))
        labels.append(torch.tensor([IGNORED] * len(prompt_ids) + completion_ids))
    pad = torch.nn.utils.rnn.pad_sequence
    return pad(rows, True, tokenizer.pad_token_id), pad(labels, True, IGNORED)


def preamble_tokens(tokenizer: PreTrainedTokenizerFast) -> Tensor:
    """Every token id that is no digit, no tag and not special."""
    import torch

    left_out = {*"0123456789", *TAGS, *tokenizer.all_special_tokens}
    return torch.tensor([id_ for token, id_ in sorted(tokenizer.get_vocab().items()) if token not in left_out])


def pretrain(model: Qwen3ForCausalLM, ids: Tensor, labels: Tensor, preamble_ids: Tensor) -> None:
    """AdamW on random batches, one cycle of warmup and cosine decay.

    Up to `MAX_PREAMBLE` random tokens precede each question, so that the model learns to read past a system prompt.
    """
    import torch

    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.98), weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, STEPS, pct_start=0.1, cycle_momentum=False)
    for step in range(1, STEPS + 1):
        batch = torch.randint(len(ids), (BATCH,))
        length = int(torch.randint(MAX_PREAMBLE + 1, ()))
        preamble = preamble_ids[torch.randint(len(preamble_ids), (BATCH, length))]
        nothing = torch.full((BATCH, length), IGNORED)
        inputs, targets = torch.cat([preamble, ids[batch]], 1), torch.cat([nothing, labels[batch]], 1)
        loss = model(input_ids=inputs, labels=targets).loss  # no mask: padding is on the right, nothing attends to it
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        if step % 50 == 0:
            print(f"step {step}/{STEPS}  loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("outdir", type=Path)
    make(parser.parse_args().outdir)
