"""The architecture numbers of the shipped models give the parameter counts their makers publish."""

from __future__ import annotations

import pytest

from exp.config.compose import compose_point
from exp.config.model import Architecture
from exp.config.overrides import group_options

PUBLISHED = {
    "qwen06b": 0.596e9,
    "qwen17b": 1.72e9,
    "qwen4b": 4.02e9,
    "qwen8b": 8.19e9,
    "qwen25_0_5b": 0.494e9,
    "qwen25_1_5b": 1.54e9,
    "qwen25_7b": 7.62e9,
    "llama32_1b": 1.24e9,
    "llama32_3b": 3.21e9,
    "llama31_8b": 8.03e9,
    "smollm2_135m": 0.135e9,
}


def parameters(sizes: Architecture) -> int:
    """Weights of a Llama-like decoder; biases and the norms of queries and keys are too few to count."""
    attention = sizes.hidden_size * sizes.head_dim * 2 * (sizes.num_heads + sizes.num_kv_heads)
    feed_forward = 3 * sizes.hidden_size * sizes.intermediate_size
    norms = 2 * sizes.hidden_size
    embeddings = sizes.vocab_size * sizes.hidden_size * (1 if sizes.tie_embeddings else 2)
    return sizes.num_layers * (attention + feed_forward + norms) + embeddings + sizes.hidden_size


def test_every_downloaded_model_has_a_published_count() -> None:
    assert set(PUBLISHED) == set(group_options("model")) - {"tiny"}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_sizes_give_the_published_parameter_count(name: str) -> None:
    sizes = compose_point([f"model={name}"]).model.architecture
    assert parameters(sizes) == pytest.approx(PUBLISHED[name], rel=0.01)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_model_has_a_hub_id_and_heads_that_divide(name: str) -> None:
    model = compose_point([f"model={name}"]).model
    assert model.hub_id and "/" in model.hub_id
    assert model.architecture.num_heads % model.architecture.num_kv_heads == 0


@pytest.mark.parametrize("name", [name for name in PUBLISHED if name.startswith("llama")])
def test_a_template_that_would_write_todays_date_is_given_a_fixed_one(name: str) -> None:
    assert compose_point([f"model={name}"]).model.template_options["date_string"]
