"""Makes the tiny base model that ships with the package: `python -m exp.models.tiny.make OUTDIR`.

A Qwen3 of 130,000 parameters, pretrained from scratch in a few minutes on two-digit additions of which
half forget the carry. It stands for a base model that knows the subject, makes a systematic mistake, and has
never seen a reasoning tag: the shortest honest path through fine-tuning, reinforcement learning and evaluation.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from exp.data.addition import demonstrate, split_pairs
from exp.models.tiny.tokenizer import MAX_LENGTH, STOP, TAGS, make_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM

SEED = 7
CARELESS = 0.5
STEPS, BATCH, LEARNING_RATE = 1000, 128, 4e-3
MAX_FILLER = (32, 4, 6)
"""Most random tokens before question, reasoning and answer."""
IGNORED = -100


def make(outdir: Path) -> None:
    """Writes configuration, bf16 weights, tokenizer and chat template to `outdir`."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)  # the order of summation, and so the weights, depends on the number of threads
    tokenizer = make_tokenizer()
    model = make_model(tokenizer)
    pretrain(model, training_tensors(tokenizer), filler_tokens(tokenizer), tokenizer.pad_token_id)
    model.bfloat16().save_pretrained(outdir)
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


def training_tensors(tokenizer: PreTrainedTokenizerFast) -> list[Tensor]:
    """Token ids of every training pair in three parts: prompt, reasoning, answer with stop token; each (9500, tokens).

    The answer is padded on the right.
    """
    rng = Random(SEED)
    parts: list[list[Tensor]] = [[], [], []]
    for pair in split_pairs()[0]:
        example = demonstrate(pair, forget_carry=rng.random() < CARELESS)
        question = [{"role": "user", "content": example["question"]}]
        prompt = tokenizer.apply_chat_template(question, tokenize=False, add_generation_prompt=True)
        for part, text in zip(parts, (prompt, example["reasoning"], f"{example['answer']}{STOP}"), strict=True):
            part.append(torch.tensor(tokenizer.encode(text)))
    return [torch.nn.utils.rnn.pad_sequence(part, True, tokenizer.pad_token_id) for part in parts]


def filler_tokens(tokenizer: PreTrainedTokenizerFast) -> Tensor:
    """Every token id that is no digit, no tag and not special."""
    left_out = {*"0123456789", *TAGS, *tokenizer.all_special_tokens}
    return torch.tensor([id_ for token, id_ in sorted(tokenizer.get_vocab().items()) if token not in left_out])


def pretrain(model: Qwen3ForCausalLM, parts: list[Tensor], filler_ids: Tensor, pad: int) -> None:
    """AdamW on random batches, one cycle of warmup and cosine decay; loss on the reasoning and the answer.

    Random tokens stand before the question, the reasoning and the answer, so that the model learns to read past a
    system prompt and past whatever marks a format puts around its two parts.
    """
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.98), weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, STEPS, pct_start=0.1, cycle_momentum=False)
    for step in range(1, STEPS + 1):
        batch = torch.randint(len(parts[0]), (BATCH,))
        inputs, labels = [], []
        for part, longest in zip(parts, MAX_FILLER, strict=True):
            length = int(torch.randint(longest + 1, ()))
            ids = part[batch]
            inputs += [filler_ids[torch.randint(len(filler_ids), (BATCH, length))], ids]
            learnt = torch.full_like(ids, IGNORED) if part is parts[0] else ids.masked_fill(ids == pad, IGNORED)
            labels += [torch.full((BATCH, length), IGNORED), learnt]
        # No attention mask: padding is on the right, nothing attends to it.
        loss = model(input_ids=torch.cat(inputs, 1), labels=torch.cat(labels, 1)).loss
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
