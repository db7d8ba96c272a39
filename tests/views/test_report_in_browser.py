"""The report as a reader uses it, in headless Chromium, from a file, without a network."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from exp.views.report import write_report

from .made_run import HOSTILE, make_run, write_rows


@pytest.fixture
def page(chromium: Any, report: Path) -> Iterator[Any]:
    """The freshly opened report; afterwards its console must be silent."""
    chromium.get_log("browser")
    chromium.get_log("performance")
    chromium.get(report.as_uri())
    yield chromium
    assert chromium.get_log("browser") == []


def find(page: Any, selector: str) -> list[Any]:
    return page.find_elements("css selector", selector)


def text_of(page: Any, selector: str) -> str:
    return find(page, selector)[0].text


def type_into(page: Any, field: str, text: str, status: str) -> None:
    """Type a search and wait for the list to follow."""
    before = text_of(page, status)
    find(page, field)[0].send_keys(text)
    wait_until(lambda: text_of(page, status) != before)


def choose(page: Any, field: str, label: str) -> None:
    from selenium.webdriver.support.ui import Select

    Select(find(page, field)[0]).select_by_visible_text(label)


def point_at(page: Any, chart: Any, right_of_centre: int = 0) -> None:
    from selenium.webdriver import ActionChains

    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", chart)
    ActionChains(page).move_to_element_with_offset(chart, right_of_centre, 0).perform()


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not holds():
        assert time.monotonic() < deadline, "the page did not react within 5 seconds"
        time.sleep(0.02)


STATUS = "#completions-list .status"


def test_the_head_says_the_outcome_in_a_sentence(page):
    assert text_of(page, "h1") == "20300102-030405-addition-1a2b3c4d"
    assert text_of(page, "#headline").startswith("GRPO 97.6 % [95.9, 98.6] against SFT 53.0 %: +44.6 points")


def test_the_page_asks_the_network_for_nothing(page, report):
    choose(page, "#source", "GRPO, rollouts")
    messages = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert asked == [report.as_uri()]


def test_hostile_output_is_shown_letter_by_letter_and_never_runs(page):
    type_into(page, "#search", "hacked", STATUS)
    shown = text_of(page, "#completions-list .card pre[aria-label=Completion]")
    assert "</script><script>window.hacked = 1</script>" in shown
    assert (
        '<img src=x onerror="window.hacked = 2"><!--<script>⟨U+202E⟩⟨U+0000⟩⟨U+0007⟩⟨U+001B⟩[31m⟨U+D800⟩ &lt;b&gt;'
        in shown
    )
    assert page.execute_script("return window.hacked") is None
    assert find(page, "img, b[onclick]") == []
    assert len(find(page, "script")) == 2


def test_the_policy_refuses_markup_made_from_a_string(page):
    refused = page.execute_script(
        "try { document.body.insertAdjacentHTML('beforeend', '<img>'); return false }"
        "catch (refusal) { return refusal instanceof TypeError }"
    )
    assert refused
    page.get_log("browser")  # the refusal reports itself there


def test_search_filters_and_paging_narrow_the_completions(page):
    assert text_of(page, STATUS) == "Completions: 1–10 of 4,000"
    choose(page, "#source", "SFT, greedy")
    choose(page, "#verdict", "cut off")
    assert text_of(page, STATUS) == "Completions: 1–10 of 22"
    first = text_of(page, "#completions-list .card")
    following = next(b for b in find(page, "#completions-list .pager button") if b.text == "Next")
    following.click()
    following.click()
    assert text_of(page, STATUS) == "Completions: 21–22 of 22"
    assert not following.is_enabled()
    assert text_of(page, "#completions-list .card") != first
    choose(page, "#format", "kept")
    assert text_of(page, STATUS) == "Completions: none"
    find(page, "#filters button[type=reset]")[0].click()
    wait_until(lambda: text_of(page, STATUS) == "Completions: 1–10 of 4,000")


def test_a_card_marks_the_extracted_answer_and_lists_the_reward_components(page):
    choose(page, "#source", "GRPO, rollouts")
    choose(page, "#verdict", "right")
    card = find(page, "#completions-list .card")[0]
    gold, extracted = (field.text for field in card.find_elements("css selector", "dd"))
    assert gold == extracted == card.find_element("css selector", "mark.answer").text
    assert [item.text for item in card.find_elements("css selector", ".components li")] == ["correct 1", "format 0.1"]
    assert "reward 1.1" in card.text


def test_the_lowest_reward_comes_first_when_asked_for(page):
    choose(page, "#order", "lowest reward first")
    assert "reward 0" in text_of(page, "#completions-list .card header")


def test_a_part_of_an_outcome_bar_leads_to_its_completions(page):
    part = next(s for s in find(page, ".segment") if s.get_attribute("title").startswith("SFT: wrong 213 of 500"))
    part.click()
    assert text_of(page, STATUS) == "Completions: 1–10 of 213"
    assert {badge.text for badge in find(page, "#completions-list .card .v-wrong")} == {"✗ wrong"}


def test_questions_that_changed_are_shown_with_both_answers(page):
    status = "#changes-list .status"
    assert text_of(page, status) == "SFT not right, GRPO right: 1–10 of 227"
    lost = find(page, "#matrix .right-wrong")[0]
    lost.click()
    assert text_of(page, status) == "SFT right, GRPO not right: 1–4 of 4"
    sides = find(page, "#changes-list .card .side")
    assert "✓ right" in sides[0].text
    assert "✗ wrong" in sides[1].text
    choose(page, "#pair", "Base → SFT")
    find(page, "#matrix .wrong-right")[0].click()
    assert text_of(page, status) == "Base not right, SFT right: 1–10 of 265"


def test_pointing_at_a_curve_reads_every_curve_of_the_stage_without_moving_the_page(page):
    grpo = find(page, "#charts .grid")[2]
    correct, reward = grpo.find_elements("css selector", ".panel")[:2]
    height = page.execute_script("return document.documentElement.scrollHeight")
    assert "→" in correct.find_element("css selector", ".trend").text
    point_at(page, correct.find_element("css selector", "svg.chart"), 40)
    step = correct.find_element("css selector", ".trend").text
    assert step.startswith("step ")
    assert reward.find_element("css selector", ".trend").text == step
    assert len(reward.find_elements("css selector", ".cursor circle")) == 3
    assert correct.find_element("css selector", ".value").text.endswith("%")
    assert page.execute_script("return document.documentElement.scrollHeight") == height


def test_the_arrow_keys_read_a_curve_aloud(page):
    chart = find(page, "svg.chart")[0]
    chart.send_keys("\ue011")  # Home
    assert page.execute_script("return document.getElementById('reading').textContent").startswith("step 1: loss ")
    chart.send_keys("\ue014")  # right arrow
    assert page.execute_script("return document.getElementById('reading').textContent").startswith("step 2: loss ")


def test_a_component_can_be_hidden_and_smoothing_switched_off(page):
    reward = find(page, "#charts .grid")[2].find_elements("css selector", ".panel")[1]
    assert len(reward.find_elements("css selector", "path")) == 6
    find(page, "#smooth")[0].click()
    assert len(reward.find_elements("css selector", "path")) == 3
    key = reward.find_elements("css selector", "button.key")[2]
    key.click()
    assert key.get_attribute("aria-pressed") == "false"
    assert len(reward.find_elements("css selector", "path")) == 2


def test_folded_parts_open_and_draw(page):
    fold = find(page, "#charts details")[0]
    fold.find_element("css selector", "summary").click()
    wait_until(lambda: len(fold.find_elements("css selector", "path")) > 0)
    for summary in find(page, "#folds summary"):
        summary.click()
    assert "num_generations: 8" in text_of(page, "#folds")
    assert "transformers==5.17.0" in text_of(page, "#folds")


def test_dark_and_light_are_one_button_apart(page):
    background = "return getComputedStyle(document.body).backgroundColor"
    light = page.execute_script(background)
    find(page, "#theme")[0].click()
    assert page.execute_script(background) != light
    assert find(page, "#theme")[0].get_attribute("aria-pressed") == "true"


def test_a_phone_needs_no_sideways_scrolling(page):
    phone = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    try:
        assert page.execute_script("return document.documentElement.scrollWidth") == 360
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_every_control_has_a_name_and_no_identifier_is_used_twice(page):
    nameless = page.execute_script(
        "return [...document.querySelectorAll('button, input, select, svg[role=img]')]"
        ".filter((e) => !e.textContent.trim() && !e.getAttribute('aria-label') && !(e.labels && e.labels.length))"
        ".map((e) => e.outerHTML)"
    )
    assert nameless == []
    ids = page.execute_script("return [...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids)) > 10


def test_a_report_of_a_run_without_evaluation_shows_its_curves(chromium, tmp_path):
    write_rows(tmp_path / "metrics.jsonl", [{"stage": "sft", "step": 1, "time": 1.0, "loss": 2.5}])
    chromium.get(write_report(tmp_path).as_uri())
    assert [link.text for link in find(chromium, "#sections a")] == ["Training"]
    assert text_of(chromium, "#notes") == "This run has no result yet."
    assert chromium.get_log("browser") == []


@pytest.mark.slow
def test_searching_thousands_of_long_completions_takes_a_blink(chromium, tmp_path):
    make_run(tmp_path, questions=500)
    rows = [json.loads(line) for line in (tmp_path / "eval" / "grpo.jsonl").read_text().splitlines()]
    many = [
        {
            **row,
            "id": f"{row['id']}-{copy}",
            "mode": "greedy",
            "completion": "long reasoning " * 200 + row["completion"],
        }
        for copy in range(2)
        for row in rows
        if row["completion"] != HOSTILE
    ]
    write_rows(tmp_path / "eval" / "grpo.jsonl", many)
    for name in ("base", "sft"):
        (tmp_path / "eval" / f"{name}.jsonl").unlink()
    chromium.get(write_report(tmp_path).as_uri())
    assert int(text_of(chromium, STATUS).split()[-1].replace(",", "")) > 5000
    search = (
        "const start = performance.now(); byId('search').value = 'nowhere';"
        "byId('filters').dispatchEvent(new Event('change'));"
        "return performance.now() - start"
    )
    chromium.execute_script(search)
    assert text_of(chromium, STATUS) == "Completions: none"
    assert chromium.execute_script(search) < 300
