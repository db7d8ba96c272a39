"""The base of every configuration group: closed, typed, frozen; a field's docstring is its help text."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Group(BaseModel):
    """A closed set of typed values: unknown keys and wrong types are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False)
