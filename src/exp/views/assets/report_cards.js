// One completion as a card, and pages of cards.

/** A completion: what it is, what was asked and meant, the text with the answer marked, and why it got its verdict. */
function completionCard(row, source, search) {
  const facts = [
    ["Gold", row.gold],
    ["Extracted", row.extracted],
  ].map(([name, value]) => make("div", {}, make("dt", {}, name),
    make("dd", value === null ? { class: "muted" } : {}, value === null ? "none" : visible(String(value)))));
  const head = [verdictBadge(row.verdict), formatBadge(row.well_formed), make("span", {}, source.label)];
  if (row.step !== undefined) head.push(make("span", {}, `step ${count(row.step)}`));
  if (row.reward !== undefined && row.reward !== null) head.push(make("span", {}, "reward ", make("b", {}, number(row.reward))));
  if (row.tokens !== undefined) head.push(make("span", { class: "muted" }, `${count(row.tokens)} tokens`));
  head.push(make("code", { class: "muted id" }, visible(String(row.id))));
  const parts = [make("header", {}, ...head), quote("Question", row.question, null, search), make("dl", {}, ...facts),
    quote("Completion", row.completion, row.extracted, search)];
  if (row.reason) parts.push(make("p", { class: "reason" }, make("span", { class: "muted" }, "Verdict: "), visible(row.reason)));
  if (row.components) parts.push(components(row.components));
  return make("article", { class: "card" }, ...parts);
}

/** Two completions of one question beside each other. */
function pairCard({ question, gold, before, after }, sources, search) {
  const side = (row) => make("div", { class: "side" },
    make("header", {}, make("b", {}, sources[row.source].label.split(",")[0]), verdictBadge(row.verdict), formatBadge(row.well_formed),
      row.tokens === undefined ? null : make("span", { class: "muted" }, `${count(row.tokens)} tokens`)),
    quote("Completion", row.completion, row.extracted, search),
    row.reason ? make("p", { class: "reason" }, visible(row.reason)) : null);
  return make("article", { class: "card" }, quote("Question", question, null, search),
    make("dl", {}, make("div", {}, make("dt", {}, "Gold"), make("dd", {}, visible(String(gold))))),
    make("div", { class: "sides" }, side(before), side(after)));
}

function formatBadge(wellFormed) {
  return make("span", { class: wellFormed ? "badge plain" : "badge broken" }, wellFormed ? "format kept" : "format broken");
}

function components(values) {
  return make("ul", { class: "components", "aria-label": "Reward components" }, ...Object.entries(values).map(([name, value]) =>
    make("li", {}, `${visible(name)} `, make("b", {}, number(value)))));
}

/** A text as it is, with the last place of the extracted answer and all places of the search marked. */
function quote(name, text, extracted, search) {
  const marks = [];
  if (extracted !== null && extracted !== undefined && extracted !== "") {
    const start = text.lastIndexOf(extracted);
    if (start >= 0) marks.push([start, start + extracted.length, "answer", "extracted answer"]);
  }
  if (search) {
    const folded = text.toLowerCase();
    for (let start = folded.indexOf(search); start >= 0; start = folded.indexOf(search, start + search.length)) {
      const end = start + search.length;
      if (!marks.some(([from, to, kind]) => kind === "answer" && start < to && end > from)) marks.push([start, end, "found", "found"]);
    }
  }
  marks.sort((one, other) => one[0] - other[0]);
  const block = make("pre", { role: "group", "aria-label": name });
  let place = 0;
  for (const [start, end, style, title] of marks) {
    block.append(visible(text.slice(place, start)), make("mark", { class: style, title }, visible(text.slice(start, end))));
    place = end;
  }
  block.append(visible(text.slice(place)));
  if (!text) block.append(make("span", { class: "muted" }, "(empty)"));
  return block;
}

/** A list shown page by page; returns a function that shows other items from their first page. */
function pagedList(host, perPage, card) {
  let items = [];
  let page = 0;
  let what = "";
  const status = make("p", { class: "status", role: "status" });
  const list = make("div", { class: "cards" });
  const pages = () => Math.max(1, Math.ceil(items.length / perPage));
  const turn = (label, target) => make("button", { type: "button", onclick: () => {
    page = Math.min(pages() - 1, Math.max(0, target()));
    refresh();
    status.scrollIntoView({ block: "nearest" });
  } }, label);
  const buttons = () => [turn("First", () => 0), turn("Previous", () => page - 1), turn("Next", () => page + 1), turn("Last", () => pages() - 1)];
  const bars = [buttons(), buttons()];
  host.append(make("div", { class: "pager" }, status, ...bars[0]), list, make("div", { class: "pager" }, ...bars[1]));

  function refresh() {
    const from = page * perPage;
    const shown = items.slice(from, from + perPage);
    list.replaceChildren(...shown.map(card));
    const range = shown.length ? `${count(from + 1)}–${count(from + shown.length)} of ${count(items.length)}` : "none";
    status.textContent = `${what}: ${range}`;
    for (const [first, previous, next, last] of bars) {
      first.disabled = previous.disabled = page === 0;
      next.disabled = last.disabled = page >= pages() - 1;
    }
    host.lastElementChild.hidden = shown.length < 3;
  }

  return (others, described) => {
    [items, what, page] = [others, described, 0];
    refresh();
  };
}
