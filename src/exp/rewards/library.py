"""The table of reward functions, a user's own among them, and the scoring of a batch by a configured reward."""

from __future__ import annotations

import asyncio
import inspect
import math
import threading
from collections.abc import Callable, Coroutine
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from exp.config.evaluation import Component, Reward
from exp.errors import Problem, Refused, nearest, refuse
from exp.rewards import functions
from exp.rewards.functions import Batch
from exp.rewards.plugin import is_path, load_function
from exp.rewards.verify import check_kind

__all__ = ["REWARDS", "Batch", "RewardFunction", "problems", "resolve", "score"]

RewardFunction = Callable[..., list[float | None]]
"""Called with a `Batch` and the component's options; one number per completion, None where it does not apply."""

REWARDS: dict[str, RewardFunction] = {
    "strict": functions.strict,
    "accuracy": functions.accuracy,
    "format": functions.well_formed,
    "marks": functions.marks,
    "jee_marks": functions.jee_marks,
    "soft_overlong": functions.soft_overlong,
    "cosine": functions.cosine,
    "repetition": functions.repetition,
    "length": functions.length,
}
"""Reward functions by name. Anything else is `path/to/file.py:function`, sync or async, with the same arguments."""


def resolve(name_or_path: str) -> RewardFunction:
    """The function of that name or of `path/to/file.py:function`. Raises `Refused` with the nearest name."""
    if is_path(name_or_path):
        return load_function(name_or_path)
    if name_or_path not in REWARDS:
        close = nearest(name_or_path, list(REWARDS))
        hint = f"did you mean {close}?" if close else f"there are {', '.join(REWARDS)}, or path/to/file.py:function"
        raise refuse(f"unknown reward function {name_or_path!r}; {hint}")
    return REWARDS[name_or_path]


def score(batch: Batch, reward: Reward) -> dict[str, list[float | None]]:
    """Each component's numbers, unweighted, in the order of the completions.

    Raises `Refused` if a component returns something else than one finite number or None per completion.
    """
    return {name: _score(name, component, batch) for name, component in reward.components.items()}


def problems(reward: Reward) -> list[Problem]:
    """What is wrong with a reward: functions, verifiers and options that do not exist, options of a wrong type."""
    found = []
    for name, component in reward.components.items():
        where = f"reward.components.{name}"
        try:
            function = resolve(component.function or name)
        except Refused as refused:
            close = nearest(component.function or name, list(REWARDS))
            fix = f"{where}.function={close}" if close else ""
            found += [Problem(p.what, where=f"{where}.function", fix=p.fix or fix) for p in refused.problems]
        else:
            found += _option_problems(function, component, f"{where}.options")
    if reward.verifier is not None:
        try:
            check_kind(reward.verifier)
        except Refused as refused:
            found += [Problem(p.what, where="reward.verifier", fix=p.fix) for p in refused.problems]
    return found


def _score(name: str, component: Component, batch: Batch) -> list[float | None]:
    function = resolve(component.function or name)
    result: Any = function(batch, **component.options)
    if inspect.iscoroutine(result):
        result = _run(result)
    values = list(result)
    where = f"reward.components.{name}"
    if len(values) != len(batch.completions):
        raise refuse(f"returned {len(values)} rewards for {len(batch.completions)} completions", where=where)
    numbers = [None if value is None else float(value) for value in values]
    if bad := next((n for n in numbers if n is not None and not math.isfinite(n)), None):
        raise refuse(f"returned {bad}, which is no finite reward", where=where)
    return numbers


def _run(coroutine: Coroutine[Any, Any, list[float | None]]) -> list[float | None]:
    """The coroutine's result, in a thread of its own: the calling thread may already run an event loop."""
    outcome: list[Any] = []
    failure: list[BaseException] = []

    def target() -> None:
        try:
            outcome.append(asyncio.run(coroutine))
        except BaseException as error:  # carried over to the calling thread
            failure.append(error)

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    result: list[float | None] = outcome[0]
    return result


def _option_problems(function: RewardFunction, component: Component, where: str) -> list[Problem]:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return []
    names = [p.name for p in parameters]
    hints = get_type_hints(function)
    found = []
    for option, value in component.options.items():
        if option not in names:
            close = nearest(option, names)
            hint = f"did you mean {close}?" if close else f"it takes {', '.join(names) or 'none'}"
            found.append(Problem(f"unknown option {option!r}; {hint}", where=f"{where}.{option}"))
        elif problem := _type_problem(value, hints.get(option, Any)):
            found.append(Problem(problem, where=f"{where}.{option}"))
    for parameter in parameters:
        if parameter.default is parameter.empty and parameter.name not in component.options:
            missing = f"{where}.{parameter.name}"
            found.append(Problem("a value is needed", where=missing, fix=f"+{missing}=..."))
    return found


def _type_problem(value: Any, hint: Any) -> str | None:
    try:
        TypeAdapter(hint).validate_python(value, strict=True)
    except ValidationError as error:
        return f"{value!r}: {error.errors()[0]['msg']}"
    return None
