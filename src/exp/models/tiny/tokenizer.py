"""A byte-level BPE tokenizer of a few hundred entries, in the manner of Qwen2.5.

Any text round-trips through single bytes; the words of the task and of the format prompts are one token each,
so that a system prompt costs about twenty tokens; digits are never merged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

MAX_LENGTH = 256
VOCABULARY = 512
PAD, START, STOP = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
TAGS = [
    *("<think>", "</think>", "<answer>", "</answer>"),
    *("<start_working_out>", "<end_working_out>", "<SOLUTION>", "</SOLUTION>"),
]

CHAT_TEMPLATE = (
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
)

# What the model will read besides sums. Tags are left out: they are tokens already.
CORPUS = [
    "system\nReason between and , then give only the final answer between and .",
    "user\nReason step by step, then give the final answer in \\boxed{}.",
    "assistant\n=? the sum of two numbers is , so the answer is . Think about each digit and the carry.",
    "You are a helpful assistant. Read the question with care, show your work, and write the number at the end.",
    "Answer the following problem. Put your reasoning first and your solution last, inside the tags,"
    " with no other text.",
    "If you do not know how to solve it, say what is missing. Please keep each line short. Do not repeat this message.",
]


def make_tokenizer() -> PreTrainedTokenizerFast:
    """The tokenizer, trained on `CORPUS`; the same corpus always gives the same one.

    The tags are ordinary tokens, not special ones: decoding with `skip_special_tokens=True` keeps them, and the
    reward sees what the model wrote.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[PAD, START, STOP],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    bpe.train_from_iterator(CORPUS, trainer)
    bpe.add_tokens([AddedToken(tag, normalized=False) for tag in TAGS])
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        pad_token=PAD,
        eos_token=STOP,
        additional_special_tokens=[START],
        padding_side="left",
        model_max_length=MAX_LENGTH,
        clean_up_tokenization_spaces=False,
        chat_template=CHAT_TEMPLATE,
    )
