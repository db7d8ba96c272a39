"""Training curves out of metrics rows."""

from __future__ import annotations

from exp.views.report_curves import MOST_POINTS, curves, thin


def rows(stage: str, **metrics: list[float]) -> list[dict]:
    length = len(next(iter(metrics.values())))
    return [
        {"stage": stage, "step": n + 1, "time": 1.0 * n, **{k: v[n] for k, v in metrics.items()}} for n in range(length)
    ]


def test_the_reward_and_its_components_share_a_panel():
    panels = curves(rows("grpo", **{"reward": [0.5, 0.6], "rewards/correct": [0.4, 0.5], "rewards/format": [0.1, 0.1]}))
    assert [panel["title"] for panel in panels] == ["Reward"]
    assert [series["name"] for series in panels[0]["series"]] == ["reward", "correct", "format"]
    assert panels[0]["series"][1]["points"] == [[1, 0.4], [2, 0.5]]


def test_stages_keep_their_order_and_do_not_mix():
    panels = curves(rows("sft", loss=[2.0]) + rows("grpo", loss=[0.1]) + rows("grpo_2", loss=[0.2]))
    assert [(panel["stage"], panel["series"][0]["points"]) for panel in panels] == [
        ("sft", [[1, 2.0]]),
        ("grpo", [[1, 0.1]]),
        ("grpo_2", [[1, 0.2]]),
    ]


def test_a_metric_without_a_panel_of_its_own_follows_as_one_of_more():
    panels = curves(rows("sft", loss=[2.0], num_tokens=[10]))
    assert [(panel["title"], panel["more"]) for panel in panels] == [("Loss", False), ("num_tokens", True)]


def test_a_step_logged_again_after_a_resume_counts_once_and_as_logged_last():
    panels = curves([*rows("sft", loss=[2.0, 1.9]), {"stage": "sft", "step": 2, "time": 9.0, "loss": 1.8}])
    assert panels[0]["series"][0]["points"] == [[1, 2.0], [2, 1.8]]


def test_values_that_are_not_finite_leave_gaps_and_are_counted():
    panels = curves(rows("sft", loss=[2.0, float("nan"), float("inf")]))
    assert panels[0]["series"][0]["points"] == [[1, 2.0], [2, None], [3, None]]
    assert panels[0]["note"] == "gaps where the value is not finite: 2"


def test_text_and_truth_values_are_no_curves():
    assert curves([{"stage": "sft", "step": 1, "time": 0.0, "note": "resumed", "saved": True}]) == []


def test_a_long_curve_is_averaged_over_consecutive_steps():
    pairs, size = thin({step: float(step) for step in range(1, 2 * MOST_POINTS + 1)})
    assert (len(pairs), size) == (MOST_POINTS, 2)
    assert pairs[0] == [2, 1.5]
    panel = curves(rows("sft", loss=[1.0] * (2 * MOST_POINTS)))[0]
    assert panel["note"] == "each point is the mean of 2 steps"
