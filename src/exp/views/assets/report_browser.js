// The two browsers: every completion with its filters, and the questions on which two models differ.

const PER_PAGE = 10;

/** The searchable text of a row, folded once. */
function haystack(row) {
  row.folded ??= [row.id, row.question, row.completion, row.extracted, row.gold, row.reason].join("\n").toLowerCase();
  return row.folded;
}

function options(select, pairs) {
  select.replaceChildren(...pairs.map(([value, label]) => make("option", { value }, label)));
}

/** Runs `action` once the calls have paused. */
function settled(action) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, 120);
  };
}

/** Browser of single completions; returns a function that sets source and verdict from elsewhere on the page. */
function completionBrowser(sources, rows) {
  show("completions");
  byId("extent").append(...sources.map((source) => make("li", {},
    source.shown < source.total
      ? `${source.label}: ${count(source.shown)} of ${count(source.total)} shown, all in `
      : `${source.label}: all ${count(source.total)} shown, from `,
    make("code", {}, source.file))));
  options(byId("source"), [["", "everything"], ...sources.map((source, place) => [String(place), source.label])]);
  options(byId("verdict"), [["", "any"], ...[...new Set(rows.map((row) => row.verdict))].map((v) => [v, verdictName(v)])]);
  const rewards = rows.some((row) => typeof row.reward === "number");
  for (const value of ["rich", "poor"]) byId("order").querySelector(`[value=${value}]`).hidden = !rewards;
  const list = pagedList(byId("completions-list"), PER_PAGE,
    (row) => completionCard(row, sources[row.source], wanted()));
  const wanted = () => byId("search").value.trim().toLowerCase();

  function refresh() {
    const [text, source, verdict, format] = [wanted(), byId("source").value, byId("verdict").value, byId("format").value];
    const found = rows.filter((row) =>
      (source === "" || row.source === Number(source)) && (verdict === "" || row.verdict === verdict)
      && (format === "" || row.well_formed === (format === "yes")) && (text === "" || haystack(row).includes(text)));
    list(ordered(found, byId("order").value), "Completions");
  }

  const form = byId("filters");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", refresh);
  form.addEventListener("reset", () => setTimeout(refresh));
  byId("search").addEventListener("input", settled(refresh));
  refresh();
  return (source, verdict) => {
    form.reset();
    byId("source").value = String(source);
    byId("verdict").value = verdict;
    refresh();
    byId("completions").scrollIntoView();
    byId("source").focus({ preventScroll: true });
  };
}

function ordered(rows, order) {
  const reward = (row, missing) => (typeof row.reward === "number" ? row.reward : missing);
  const by = {
    long: (one, other) => other.completion.length - one.completion.length,
    short: (one, other) => one.completion.length - other.completion.length,
    rich: (one, other) => reward(other, -Infinity) - reward(one, -Infinity) || 0,
    poor: (one, other) => reward(one, Infinity) - reward(other, Infinity) || 0,
  }[order];
  return by ? [...rows].sort(by) : rows;
}

/** Browser of questions by what two models made of them. */
function changeBrowser(sources, rows) {
  const greedy = sources.map((source, place) => ({ ...source, place })).filter((source) => source.kind === "greedy");
  if (greedy.length < 2) return;
  show("changes");
  const answers = greedy.map(({ place }) => new Map(rows.filter((row) => row.source === place).map((row) => [row.id, row])));
  const name = (place) => greedy[place].label.split(",")[0];
  const pairs = greedy.flatMap((_, after) => greedy.slice(0, after).map((__, before) => [before, after])).reverse();
  pairs.sort(([a, b], [c, d]) => (b - a) - (d - c));
  options(byId("pair"), pairs.map(([before, after], place) => [String(place), `${name(before)} → ${name(after)}`]));
  const wanted = () => byId("changes-search").value.trim().toLowerCase();
  const list = pagedList(byId("changes-list"), PER_PAGE, (item) => pairCard(item, sources, wanted()));
  let cell = "wrong right";

  function refresh() {
    const [before, after] = pairs[Number(byId("pair").value)];
    const cells = { "right right": [], "right wrong": [], "wrong right": [], "wrong wrong": [] };
    const side = (row) => (row.verdict === "right" ? "right" : "wrong");
    for (const [id, old] of answers[before]) {
      const now = answers[after].get(id);
      if (now) cells[`${side(old)} ${side(now)}`].push({ question: old.question, gold: old.gold, before: old, after: now });
    }
    matrix(name(before), name(after), cells, cell, (chosen) => {
      cell = chosen;
      refresh();
      byId("matrix").querySelector("[aria-pressed=true]").focus();
    });
    const found = cells[cell].filter(({ before: old, after: now }) => haystack(old).includes(wanted()) || haystack(now).includes(wanted()));
    const [was, is] = cell.split(" ");
    list(found, `${name(before)} ${was === "right" ? "right" : "not right"}, ${name(after)} ${is === "right" ? "right" : "not right"}`);
  }

  byId("pair").addEventListener("change", refresh);
  byId("changes-search").addEventListener("input", settled(refresh));
  refresh();
}

function matrix(before, after, cells, chosen, choose) {
  const cell = (key, meaning) => make("td", {}, make("button", {
    type: "button", class: `cell ${key.replace(" ", "-")}`, "aria-pressed": String(key === chosen), onclick: () => choose(key),
  }, make("b", {}, count(cells[key].length)), make("span", {}, meaning)));
  byId("matrix").replaceChildren(
    make("thead", {}, make("tr", {}, make("td"),
      make("th", { scope: "col" }, `${after} right`), make("th", { scope: "col" }, `${after} not right`))),
    make("tbody", {},
      make("tr", {}, make("th", { scope: "row" }, `${before} right`), cell("right right", "kept"), cell("right wrong", "lost")),
      make("tr", {}, make("th", { scope: "row" }, `${before} not right`), cell("wrong right", "won"), cell("wrong wrong", "still not right"))));
}
