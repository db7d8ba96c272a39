"""The page around the data: what is embedded cannot leave its block."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exp.views.report_page import embeddable_json, render

SCRIPTS = sorted(path for path in files("exp.views").joinpath("assets").iterdir() if path.name.endswith(".js"))
any_text = st.text(st.characters(exclude_categories=[])) | st.sampled_from(
    ["</script>", "<!--<script>", "]]>", "\u2028"]
)


@given(
    st.recursive(
        any_text | st.integers() | st.booleans() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(any_text, inner),
    )
)
def test_embedded_json_reads_back_equal_and_holds_no_markup(value):
    text = embeddable_json(value)
    assert json.loads(text) == value
    assert not set(text) & set("<>&")
    assert text.isascii()


def test_numbers_that_json_cannot_hold_become_null():
    assert embeddable_json({"loss": [float("nan"), float("inf"), 1.5]}) == '{"loss":[null,null,1.5]}'


def test_the_policy_allows_this_style_and_this_script_by_hash_and_nothing_else():
    page = render("title", {})
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#x27;", "'")
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)[1]
    hashed = [
        "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'" for text in (script, style)
    ]
    assert policy.split("; ") == [
        "default-src 'none'",
        f"script-src {hashed[0]}",
        f"style-src {hashed[1]}",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]


def test_the_title_is_escaped():
    assert "<title>&lt;/title&gt;&lt;img&gt;</title>" in render("</title><img>", {})


def test_the_page_names_no_other_resource():
    assert not re.search(
        r"\b(?:src|href)=\"(?!#)|url\(|@import|https?://(?!www\.w3\.org/2000/svg)", render("title", {})
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_parses_text_as_markup_or_code(script):
    source = script.read_text(encoding="utf-8")
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|DOMParser", source
    )


def test_there_are_scripts_to_look_at():
    assert len(SCRIPTS) == 5
