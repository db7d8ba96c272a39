"use strict";
// Building blocks of the page. Text reaches the document as text nodes only; nothing is ever parsed as markup.

const byId = (id) => document.getElementById(id);

/** An element with attributes (`on…` attributes are listeners) and children (strings become text). */
function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same in the SVG namespace. */
function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function show(id) {
  byId(id).hidden = false;
}

/** Keeps a number and its percent sign on one line. */
const unbroken = (text) => text.replace(/ %/g, "\u00a0%");

const share = (value) => `${(100 * value).toFixed(1)}\u00a0%`;

const count = (value) => value.toLocaleString("en");

/** A number with as many digits as help: 0.00012 → 1.2e-4, 0.4713 → 0.471, 12345.6 → 12,346. */
function number(value) {
  if (typeof value !== "number") return String(value ?? "–");
  if (Number.isInteger(value)) return count(value).replace("-", "−");
  const size = Math.abs(value);
  if (size >= 1000) return count(Math.round(value));
  if (size < 1e-3) return value.toExponential(1).replace(/^-/, "−");
  return String(Number(value.toPrecision(3))).replace("-", "−");
}

// What a verdict looks like. Shape and word say the same as the colour.
const VERDICTS = {
  right: "✓", wrong: "✗", "no answer": "∅", unparseable: "?", "cut off": "✂", timeout: "◷",
};
const verdictName = (verdict) => verdict.replaceAll("_", " ");
const verdictSign = (verdict) => VERDICTS[verdictName(verdict)] ?? "•";
const verdictClass = (verdict) =>
  verdictName(verdict) in VERDICTS ? `v-${verdictName(verdict).replace(" ", "-")}` : "v-other";

function verdictBadge(verdict) {
  return make("span", { class: `badge ${verdictClass(verdict)}` },
    make("span", { "aria-hidden": "true" }, verdictSign(verdict)), ` ${verdictName(verdict)}`);
}

/** Text with what cannot be seen made visible: control characters, and those that reorder or hide what follows. */
function visible(text) {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu,
    (character) => `⟨U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** Nested values as tables: a dictionary of equal dictionaries is one table, anything else one row per key. */
function tree(value) {
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) {
    if (value.length < 10) return document.createTextNode(visible(value.map(number).join(", ")));
    return make("ul", { class: "many" }, ...value.map((item) => make("li", {}, visible(number(item)))));
  }
  if (value === null || typeof value !== "object") return document.createTextNode(visible(number(value)));
  const entries = Object.entries(value);
  const columns = sharedKeys(entries.map(([, item]) => item));
  const table = make("table", { class: "tree" });
  if (columns) {
    table.append(make("thead", {}, make("tr", {}, make("td"), ...columns.map((c) => make("th", { scope: "col" }, c)))));
  }
  const body = make("tbody");
  for (const [key, item] of entries) {
    const cells = columns ? columns.map((c) => make("td", { class: "n" }, number(item[c]))) : [make("td", {}, tree(item))];
    body.append(make("tr", {}, make("th", { scope: "row" }, visible(key.replaceAll("_", " "))), ...cells));
  }
  table.append(body);
  return table;
}

function sharedKeys(items) {
  const flat = (item) => item !== null && typeof item === "object" && !Array.isArray(item)
    && Object.values(item).every((part) => part === null || typeof part !== "object");
  if (items.length < 2 || !items.every(flat)) return null;
  const keys = Object.keys(items[0]);
  return items.every((item) => Object.keys(item).join("\n") === keys.join("\n")) ? keys : null;
}
