"""Tasks that are generated instead of read: the embedded additions, and reasoning-gym's."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from exp.config.dataset import Source
from exp.data import addition
from exp.data.examples import Example
from exp.errors import nearest, refuse

EVAL_SEED = 1_000_003  # far from the seeds of runs
GYM_BLOCK = 1000  # items per generated data set: seed after seed, the stream has no end

GYM_KINDS = {
    "base_conversion": "exact",
    "basic_arithmetic": "number",
    "calendar_arithmetic": "exact",
    "chain_sum": "number",
    "decimal_arithmetic": "number",
    "fraction_simplification": "math",
    "gcd": "integer",
    "gsm_symbolic": "number",
    "knights_knaves": "exact",
    "lcm": "integer",
    "leg_counting": "integer",
    "letter_counting": "integer",
    "simple_equations": "number",
    "time_intervals": "exact",
}
"""Tasks with one answer, which equality decides. Others pay for part of an answer or any text, or have many answers."""


def additions(source: Source, seed: int) -> Iterator[Example]:
    """`split: sft` demonstrations (option `noise`), `rl` training questions, `eval` held-out questions.

    All training pairs or all held-out ones when `take` is unset.
    """
    makers = {"sft": addition.sft_examples, "rl": addition.rl_examples}
    train, held_out = addition.split_pairs()
    if source.split == "eval":
        made = addition.eval_examples(source.take or len(held_out))
    elif source.split in makers:
        made = makers[source.split](seed, source.take or len(train), **source.options)
    else:
        raise refuse(f"addition has no split {source.split!r}", "dataset", "sft, rl or eval")
    for example in made:
        yield Example(
            example["id"], example["question"], example["answer"], example["reasoning"], kind="integer", type=None
        )


def reasoning_gym(source: Source, seed: int) -> Iterator[Example]:
    """Endless items of the option `task`; further options go to the task. `split: test` draws from seeds of its own."""
    options = dict(source.options)
    task = str(options.pop("task", ""))
    if task not in GYM_KINDS:
        close = nearest(task, list(GYM_KINDS)) or "chain_sum"
        raise refuse(
            f"reasoning-gym task {task!r} is not among those whose answers equality can verify: {', '.join(GYM_KINDS)}",
            "dataset options.task",
            f"dataset.eval.options.task={close}",
        )
    if source.take is None:
        raise refuse(
            "a generated source has no end", "dataset", "set `take` of the source, such as dataset.rl.take=2000"
        )
    create = _gym_factory()
    first = EVAL_SEED if source.split == "test" else seed * EVAL_SEED
    for block in count():
        items: Any = create(task, seed=first + 7919 * block, size=GYM_BLOCK, **options)
        for index, item in enumerate(items):
            name = f"{task}-{source.split}-{block * GYM_BLOCK + index}"
            yield Example(name, item["question"], str(item["answer"]), kind=GYM_KINDS[task], type=task)


def _gym_factory() -> Any:
    try:
        from reasoning_gym import create_dataset
    except ImportError:
        raise refuse("the package reasoning-gym is not installed", "dataset", "pip install 'exp[tasks]'") from None
    return create_dataset
