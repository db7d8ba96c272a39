"""The shipped tiny base: its tokenizer, its chat template, and the model itself."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exp.data.addition import demonstrate, eval_examples
from exp.models.tiny.make import filler_tokens, make_model, training_tensors
from exp.models.tiny.tokenizer import MAX_LENGTH, TAGS, make_tokenizer

SYSTEM_PROMPTS = [
    "Reason between <think> and </think>, then give only the final answer between <answer> and </answer>.",
    "Reason between <start_working_out> and <end_working_out>, then give only the final answer between"
    " <SOLUTION> and </SOLUTION>.",
    "Reason between <think> and </think>, then give the final answer in \\boxed{}.",
    "Reason step by step, then give the final answer in \\boxed{}.",
]
MIB = 2**20


@pytest.fixture(scope="module")
def folder():
    with as_file(files("exp.models.tiny") / "base") as path:
        yield path


@pytest.fixture(scope="module")
def tokenizer(folder: Path):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder)


@pytest.fixture(scope="module")
def model(folder: Path):
    import torch
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)


def encode(tokenizer, text: str) -> list[int]:
    return tokenizer.encode(text, add_special_tokens=False)


def split_question(question: str) -> tuple[int, int]:
    x, y = question.removesuffix("=?").split("+")
    return int(x), int(y)


def chat(question: str, answer: str | None = None, system: str = SYSTEM_PROMPTS[0]) -> list[dict[str, str]]:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": question}]
    return messages if answer is None else [*messages, {"role": "assistant", "content": answer}]


ODD = ["<|im_end|>", "<|endoftext|>", "<", ">", "/", " ", "\n", "\r", "\0", "7", "answer", "é", "e\u0301", "漢", "👍"]


@given(text=st.text() | st.lists(st.sampled_from([*TAGS, *ODD])).map("".join))
def test_any_text_comes_back_as_it_went_in(tokenizer, text: str):
    assert tokenizer.decode(encode(tokenizer, text)) == text


@pytest.mark.parametrize("tag", TAGS)
def test_a_tag_is_one_token_that_decoding_keeps(tokenizer, tag: str):
    ids = encode(tokenizer, f"12{tag}34")
    assert len(ids) == 5
    assert tokenizer.decode(ids, skip_special_tokens=True) == f"12{tag}34"


@given(number=st.integers(min_value=0))
def test_a_number_is_as_many_tokens_as_digits(tokenizer, number: int):
    assert len(encode(tokenizer, str(number))) == len(str(number))


@pytest.mark.parametrize("system", SYSTEM_PROMPTS)
def test_a_system_prompt_costs_about_twenty_tokens(tokenizer, system: str):
    assert len(encode(tokenizer, system)) <= 22


def test_padding_and_stopping_are_different_special_tokens(tokenizer):
    assert (tokenizer.pad_token, tokenizer.eos_token) == ("<|endoftext|>", "<|im_end|>")
    assert tokenizer.decode(encode(tokenizer, "1<|im_end|><|endoftext|>"), skip_special_tokens=True) == "1"


def test_the_chat_template_is_chatml_without_a_default_system_prompt(tokenizer):
    rendered = tokenizer.apply_chat_template(chat("47+35=?")[1:], tokenize=False, add_generation_prompt=True)
    assert rendered == "<|im_start|>user\n47+35=?<|im_end|>\n<|im_start|>assistant\n"
    with_system = tokenizer.apply_chat_template(chat("1+1=?", system="Be brief."), tokenize=False)
    assert with_system == "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n1+1=?<|im_end|>\n"


@pytest.mark.parametrize("answer", ["<think>7+5,4+3:280</think><answer>82</answer>", "82", " \n82", "user\n"])
def test_the_generation_prompt_begins_the_training_text_in_text_and_in_tokens(tokenizer, answer: str):
    prompt = tokenizer.apply_chat_template(chat("47+35=?"), tokenize=False, add_generation_prompt=True)
    full = tokenizer.apply_chat_template(chat("47+35=?", answer), tokenize=False)
    assert full == f"{prompt}{answer}<|im_end|>\n"
    prompt_ids, full_ids = encode(tokenizer, prompt), encode(tokenizer, full)
    assert full_ids[: len(prompt_ids)] == prompt_ids


def test_the_shipped_tokenizer_is_the_one_the_script_makes(folder: Path, tokenizer, tmp_path: Path):
    make_tokenizer().save_pretrained(tmp_path)
    for name in ("tokenizer.json", "chat_template.jinja"):
        assert (tmp_path / name).read_text() == (folder / name).read_text()


def test_the_shipped_model_has_the_shape_the_script_gives_it(tokenizer, model):
    made = make_model(tokenizer)
    assert {k: v.shape for k, v in made.state_dict().items()} == {k: v.shape for k, v in model.state_dict().items()}


def test_the_base_is_small(folder: Path, model):
    assert sum(p.numel() for p in model.parameters()) < 1_000_000
    sizes = [path.stat().st_size for path in folder.iterdir()]
    assert sizes
    assert sum(sizes) <= 2 * MIB


def test_model_and_tokenizer_agree_on_vocabulary_length_and_special_tokens(tokenizer, model):
    assert model.config.model_type == "qwen3"
    assert model.config.vocab_size == len(tokenizer)
    assert model.config.max_position_embeddings == tokenizer.model_max_length == MAX_LENGTH
    assert model.generation_config.eos_token_id == model.config.eos_token_id == tokenizer.eos_token_id
    assert model.generation_config.pad_token_id == model.config.pad_token_id == tokenizer.pad_token_id


def test_pretraining_text_holds_no_tag(tokenizer):
    prompt, reasoning, answer = training_tensors(tokenizer)
    tags = set(tokenizer.convert_tokens_to_ids(TAGS))
    for part in (prompt, reasoning, answer, filler_tokens(tokenizer)):
        assert len(part)
        assert not set(part.unique().tolist()) & tags


def test_the_base_knows_the_columns_of_a_sum_but_no_tag(tokenizer, model):
    examples = eval_examples(64)
    prompts = [
        tokenizer.apply_chat_template(chat(e["question"]), tokenize=False, add_generation_prompt=True) for e in examples
    ]
    batch = tokenizer(prompts, return_tensors="pt", padding=True)
    output = model.generate(**batch, max_new_tokens=24, do_sample=False)
    completions = tokenizer.batch_decode(output[:, batch["input_ids"].shape[1] :], skip_special_tokens=True)
    assert not [text for text in completions if any(tag in text for tag in TAGS)]
    columns = [demonstrate(split_question(e["question"]), forget_carry=False)["reasoning"][:8] for e in examples]
    right = sum(text.startswith(column) for text, column in zip(completions, columns, strict=True))
    assert right / len(examples) > 0.9
