"""Prompts: one way from a question to tokens, and training sequences that continue them exactly."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from exp.config.contracts import Format
from exp.contract.format import parse, render
from exp.data.prompts import PromptBuilder
from exp.errors import Refused
from exp.models.tiny.tokenizer import make_tokenizer

FORMAT = Format(
    system_prompt="Reason between <think> and </think>, then answer between <answer> and </answer>.",
    reasoning_open="<think>",
    reasoning_close="</think>",
    answer_open="<answer>",
    answer_close="</answer>",
)
BUILDER = PromptBuilder(make_tokenizer(), FORMAT, {})
EVERY_TEMPLATE = pytest.mark.parametrize(
    "template",
    ["chatml", "opens reasoning", "writes bos", "knows no system turn", "drops the system turn", "forgets reasoning"],
)


@EVERY_TEMPLATE
def test_grpo_tokenises_the_same_prompt(tokenizers: Callable[[str], Any], template: str) -> None:
    from trl import GRPOTrainer

    tokenizer = tokenizers(template)
    builder = PromptBuilder(tokenizer, FORMAT, {})
    messages = builder.messages("What is 2+2?")
    trainer = SimpleNamespace(
        processing_class=tokenizer,
        _is_vlm=False,
        environment_factories=None,
        tools=None,
        chat_template=None,
        chat_template_kwargs={},
    )
    ids, _, _ = GRPOTrainer._tokenize_prompts(trainer, [messages])
    assert ids == [builder.prompt_ids(messages)]


@EVERY_TEMPLATE
def test_the_tokens_of_a_prompt_are_those_of_its_text(tokenizers: Callable[[str], Any], template: str) -> None:
    tokenizer = tokenizers(template)
    builder = PromptBuilder(tokenizer, FORMAT, {})
    messages = builder.messages("What is 2+2?")
    assert builder.decode(builder.prompt_ids(messages)) == builder.prompt_text(messages)


@EVERY_TEMPLATE
def test_the_system_prompt_reaches_the_model(tokenizers: Callable[[str], Any], template: str) -> None:
    builder = PromptBuilder(tokenizers(template), FORMAT, {})
    text = builder.prompt_text(builder.messages("What is 2+2?"))
    assert text.count(FORMAT.system_prompt) == 1
    assert text.count("What is 2+2?") == 1


@EVERY_TEMPLATE
def test_the_reasoning_that_is_trained_is_never_removed_by_the_template(
    tokenizers: Callable[[str], Any], template: str
) -> None:
    builder = PromptBuilder(tokenizers(template), FORMAT, {})
    completion = render("two and two make four", "4", FORMAT, opened=builder.opened)
    sequence = builder.prompt_ids(builder.messages("What is 2+2?")) + builder.completion_ids(completion)
    assert "two and two make four" in builder.decode(sequence)


def test_a_completion_ends_with_the_token_that_ends_a_turn() -> None:
    ids = BUILDER.completion_ids("<think>\nsum\n</think>\n<answer>4</answer>")
    assert BUILDER.decode(ids[-1:]) == "<|im_end|>"
    assert BUILDER.decode(ids).count("<|im_end|>") == 1


def test_the_turn_end_of_the_template_stops_generation_even_if_the_tokenizer_names_another_token() -> None:
    tokenizer = make_tokenizer()
    tokenizer.eos_token = "<|endoftext|>"
    builder = PromptBuilder(tokenizer, FORMAT, {})
    assert [builder.decode([i]) for i in builder.stop_ids] == ["<|im_end|>", "<|endoftext|>"]


def test_a_template_that_opens_the_reasoning_is_noticed(tokenizers: Callable[[str], Any]) -> None:
    assert PromptBuilder(tokenizers("opens reasoning"), FORMAT, {}).opened
    assert not PromptBuilder(tokenizers("chatml"), FORMAT, {}).opened


def test_a_template_that_opens_other_tags_does_not_open_ours(tokenizers: Callable[[str], Any]) -> None:
    other = FORMAT.model_copy(update={"reasoning_open": "<work>", "reasoning_close": "</work>"})
    assert not PromptBuilder(tokenizers("opens reasoning"), other, {}).opened


def test_template_options_reach_the_template() -> None:
    tokenizer = make_tokenizer()
    tokenizer.chat_template = tokenizer.chat_template + "{% if deep %}<think>{% endif %}"
    assert PromptBuilder(tokenizer, FORMAT, {"deep": True}).opened
    assert not PromptBuilder(tokenizer, FORMAT, {"deep": False}).opened


def test_earlier_turns_stand_between_system_prompt_and_question() -> None:
    history = ({"role": "user", "content": "one"}, {"role": "assistant", "content": "two"})
    roles = [m["role"] for m in BUILDER.messages("three", history)]
    assert roles == ["system", "user", "assistant", "user"]


def test_a_start_token_written_by_the_template_stands_once(tokenizers: Callable[[str], Any]) -> None:
    tokenizer = tokenizers("writes bos")
    builder = PromptBuilder(tokenizer, FORMAT, {})
    assert builder.prompt_ids(builder.messages("?")).count(tokenizer.bos_token_id) == 1


def test_a_start_token_that_begins_every_turn_is_no_mistake() -> None:
    tokenizer = make_tokenizer()
    tokenizer.bos_token = "<|im_start|>"
    builder = PromptBuilder(tokenizer, FORMAT, {})
    assert builder.prompt_ids(builder.messages("?")).count(tokenizer.bos_token_id) == 3


def test_a_start_token_written_twice_is_refused(tokenizers: Callable[[str], Any]) -> None:
    tokenizer = tokenizers("writes bos")
    tokenizer.chat_template = "<|endoftext|>" + tokenizer.chat_template
    with pytest.raises(Refused, match="twice"):
        PromptBuilder(tokenizer, FORMAT, {})


def test_a_tokenizer_without_a_chat_template_is_refused_with_what_to_do() -> None:
    tokenizer = make_tokenizer()
    tokenizer.chat_template = None
    with pytest.raises(Refused, match="no chat template") as refusal:
        PromptBuilder(tokenizer, FORMAT, {})
    assert "instruct" in refusal.value.problems[0].fix


def test_a_model_without_any_stop_token_is_refused() -> None:
    tokenizer = make_tokenizer()
    tokenizer.chat_template = "{% for m in messages %}{{ m.content }}\n{% endfor %}"
    tokenizer.eos_token = None
    with pytest.raises(Refused, match="never stop"):
        PromptBuilder(tokenizer, FORMAT, {})


def test_the_token_that_ends_a_turn_is_structure_even_if_the_tokenizer_does_not_call_it_special() -> None:
    tokenizer = make_tokenizer()
    tokenizer.eos_token = "<|endoftext|>"
    assert "<|im_end|>" not in tokenizer.all_special_tokens
    assert PromptBuilder(tokenizer, FORMAT, {}).control_token("a<|im_end|>b") == "<|im_end|>"


def test_the_template_hash_changes_with_template_options_and_system_prompt() -> None:
    tokenizer = make_tokenizer()
    other = FORMAT.model_copy(update={"system_prompt": "Think."})
    hashes = {
        PromptBuilder(tokenizer, FORMAT, {}).template_hash,
        PromptBuilder(tokenizer, FORMAT, {"deep": True}).template_hash,
        PromptBuilder(tokenizer, other, {}).template_hash,
    }
    assert len(hashes) == 3
    assert PromptBuilder(make_tokenizer(), FORMAT, {}).template_hash in hashes


def test_text_that_spells_a_control_token_is_seen() -> None:
    assert BUILDER.control_token("a <|im_end|>\n<|im_start|>system b") == "<|im_end|>"
    assert BUILDER.control_token("a <think> b </answer>") is None


@settings(max_examples=60, deadline=None)
@given(reasoning=st.text(min_size=3), answer=st.text(min_size=1))
def test_any_reasoning_survives_the_way_to_tokens_and_back(reasoning: str, answer: str) -> None:
    try:
        completion = render(reasoning, answer, FORMAT)
    except ValueError:
        reject()
    assume(BUILDER.control_token(completion) is None)
    ids = BUILDER.completion_ids(completion)
    parsed = parse(BUILDER.decode(ids[:-1]), FORMAT)
    assert (parsed.reasoning, parsed.answer) == (reasoning.strip(), answer.strip())
