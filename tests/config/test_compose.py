"""From overrides to a typed point: what the schema refuses is named with its origin, all at once."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from exp.config.compose import chosen_words, compose_point, origin, typed_point
from exp.errors import Problem, Refused


def problems(*words: str) -> tuple[Problem, ...]:
    with pytest.raises(Refused) as refused:
        compose_point(words)
    return refused.value.problems


def only_problem(*words: str) -> Problem:
    (problem,) = problems(*words)
    return problem


@pytest.mark.parametrize(
    ("word", "where"),
    [
        ("grpo.steps=many", "grpo.steps"),
        ("lora.rank=-1", "lora.rank"),
        ("seed=-1", "seed"),
        ("context.prompt_share=1", "context.prompt_share"),
        ("sft.packing=perhaps", "sft.packing"),
        ("model.architecture=5", "model.architecture"),
        ("grpo.phases=[{steps: 0}]", "grpo.phases.0.steps"),
        ("sft.learning_rate=nan", "sft.learning_rate"),
    ],
)
def test_a_wrong_value_is_refused_by_its_key_and_origin(word: str, where: str) -> None:
    problem = only_problem(word)
    assert problem.where == f"{where} (command line)"
    assert problem.what


def test_a_value_that_must_be_given_is_asked_for_where_it_is_missing() -> None:
    problem = only_problem("dataset=jsonl")
    assert (problem.where, problem.fix) == ("dataset.path (conf/dataset/jsonl.yaml)", "dataset.path=...")


def test_a_wrong_word_out_of_a_few_is_met_with_the_nearest() -> None:
    problem = only_problem("grpo.loss_type=gropo")
    assert problem.fix == "grpo.loss_type=grpo"
    assert "dr_grpo" in problem.what
    assert compose_point([problem.fix]).grpo.loss_type == "grpo"


@pytest.mark.parametrize("value", ["12", "1e3", "true", "1.50"])
def test_a_text_that_looks_like_a_number_is_met_with_the_quoted_form(value: str) -> None:
    (word,) = shlex.split(only_problem(f"label={value}").fix)
    assert compose_point([word]).label == value


def test_all_wrong_values_are_listed_at_once() -> None:
    found = problems("lora.rank=-2", "grpo.beta=x", "tracker.kind=wandbb", "seed=-1")
    assert {p.where.split()[0] for p in found} == {"lora.rank", "grpo.beta", "tracker.kind", "seed"}


def test_an_unknown_key_inside_a_value_is_named() -> None:
    found = problems("grpo.phases=[{steps: 3, lerning_rate: 1}]")
    assert [p.where for p in found] == ["grpo.phases.0.lerning_rate (command line)"]
    assert "did you mean learning_rate?" in found[0].what


def test_a_reference_to_nothing_is_refused() -> None:
    assert only_problem("label=${nothing}").where == "label"


def test_taking_away_what_is_not_there_is_refused() -> None:
    assert "grpo.epsilon" in only_problem("~grpo.epsilon").what


def test_tags_that_contradict_each_other_are_refused() -> None:
    problem = only_problem("format=boxed", 'format.answer_open="<a>"')
    assert problem.where == "format (command line)"
    assert "answer_close" in problem.what


def test_a_wrong_value_in_a_file_is_traced_to_the_file() -> None:
    words = ["model=qwen06b"]
    content = OmegaConf.create(compose_point(words).model_dump(mode="json"))
    content.lora.rnk = 3
    content.context.total = "long"
    choices = {"lora": "r16", "context": "4k"}
    with pytest.raises(Refused) as refused:
        typed_point(content, choices, words)
    assert {p.where for p in refused.value.problems} == {
        "lora.rnk (conf/lora/r16.yaml)",
        "context.total (conf/context/4k.yaml)",
    }


def test_options_of_ones_own_are_found_in_the_folder_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "lora").mkdir()
    (tmp_path / "lora" / "mine.yaml").write_text("rank: 24\n")
    assert compose_point(["--config-dir", str(tmp_path), "lora=mine"]).lora.rank == 24
    assert compose_point([f"--config-dir={tmp_path}", "lora=mine"]).lora.rank == 24
    assert only_problem("--config-dir", str(tmp_path / "nowhere")).where == "--config-dir"


def test_the_origin_is_the_command_line_only_for_what_was_typed() -> None:
    choices = {"grpo": "dapo"}
    assert origin("grpo.steps", choices, ["++grpo.steps=3"]) == "command line"
    assert origin("grpo.steps", choices, ["grpo=dapo"]) == "conf/grpo/dapo.yaml"
    assert origin("seed", choices, ["grpo=dapo"]) == "conf/config.yaml"


def test_a_runs_label_is_made_of_the_chosen_options() -> None:
    words = ["model=qwen8b", "seed=3", "tracker=none", "sft=none", "++grpo.steps=3", "lora=r8"]
    assert chosen_words(words) == ["qwen8b", "no-sft", "r8"]
