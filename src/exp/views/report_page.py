"""One HTML page out of a dictionary: all inline, nothing fetched, nothing in the data can become markup or code."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

_SCRIPTS = ("report_dom.js", "report_chart.js", "report_cards.js", "report_browser.js", "report.js")


def render(title: str, data: dict[str, Any]) -> str:
    """The page that shows `data`; its scripts read the JSON block with the id `data` and write text nodes only."""
    style = _asset("report.css")
    script = "\n".join(_asset(name) for name in _SCRIPTS)
    return Template(_asset("report.html")).substitute(
        policy=escape(_policy(style, script)),
        title=escape(title),
        style=style,
        script=script,
        data=embeddable_json(data),
    )


def embeddable_json(data: Any) -> str:
    """`data` as JSON that a `<script>` element can hold: no `<`, `>` or `&`, ASCII only, non-finite numbers as null."""
    text = json.dumps(_finite(data), allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _policy(style: str, script: str) -> str:
    """Content-Security-Policy: this style, this script, nothing else; no string may be parsed as markup."""
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return files("exp.views").joinpath("assets", name).read_text(encoding="utf-8")
