// Fills the page from the JSON block.

const data = JSON.parse(byId("data").textContent);

function header() {
  byId("run").textContent = data.run;
  byId("about").textContent = [data.point && data.point !== data.run ? `point ${data.point}` : "",
    data.started ? `started ${data.started}` : "", data.took ? `took ${data.took}` : ""].filter(Boolean).join(" · ");
  byId("headline").textContent = unbroken(data.headline);
  byId("notes").hidden = !data.notes.length;
  byId("notes").append(...data.notes.map((note) => make("li", {}, unbroken(note))));
  byId("stages").append(...data.stages.map((stage) => make("li", { title: stage.id && `artifact ${stage.id}` },
    make("b", {}, stage.name), ` ${stage.status}`, make("span", { class: "muted" }, ` ${stage.took}`))));
}

function theme() {
  const button = byId("theme");
  const root = document.documentElement;
  const set = (dark) => {
    root.dataset.theme = dark ? "dark" : "light";
    button.setAttribute("aria-pressed", String(dark));
  };
  set(matchMedia("(prefers-color-scheme: dark)").matches);
  button.addEventListener("click", () => set(root.dataset.theme !== "dark"));
}

function resultTable() {
  if (!data.models.length) return;
  show("result");
  const [first, accuracy, ...rest] = data.headings;
  byId("models").append(
    make("thead", {}, make("tr", {}, ...[first, accuracy, "95 % interval", ...rest].map((name) => make("th", { scope: "col" }, unbroken(name))))),
    make("tbody", {}, ...data.models.map((model) => make("tr", {},
      make("th", { scope: "row" }, model.cells[0]),
      make("td", { "data-label": accuracy, class: "strong" }, unbroken(model.cells[1])),
      make("td", { class: "whisker-cell" }, whisker(model)),
      ...model.cells.slice(2).map((cell, place) => make("td", { "data-label": rest[place] }, unbroken(cell)))))));
  const last = data.models[data.models.length - 1];
  byId("measured").textContent = unbroken(`${count(last.n)} held-out questions of ${last.dataset}. `
    + (last.mode === "greedy" ? "Accuracy: one greedy completion per question, 95 % Wilson interval. " : "Accuracy: that of the sampled completions. ")
    + (last.samples ? `Sampled: mean over ${last.samples} completions per question, 95 % interval clustered by question. ` : "")
    + "Format: share that keeps the tag contract. Cut off: share that reached the length limit. Tokens: mean length.");
  if (!data.comparisons.length) return;
  byId("comparisons").hidden = false;
  byId("comparisons").append(
    make("thead", {}, make("tr", {}, ...["comparison", "difference", "95 % interval", "won", "lost", "p"].map((name) => make("th", { scope: "col" }, unbroken(name))))),
    make("tbody", {}, ...data.comparisons.map((pair) => make("tr", {}, make("th", { scope: "row" }, pair.label),
      ...[points(pair.difference), `[${pair.ci95.map(points).join(", ")}]`, count(pair.wins), count(pair.losses),
        pair.p < 0.001 ? "< 0.001" : pair.p.toFixed(3)].map((cell) => make("td", {}, cell))))));
}

const points = (difference) => `${difference < 0 ? "−" : "+"}${Math.abs(100 * difference).toFixed(1)}`;

/** An accuracy and its interval on an axis from 0 to 100 %. */
function whisker(model) {
  const [low, high] = model.ci95.map((bound) => 100 * bound);
  return draw("svg", { class: "whisker", viewBox: "-3 0 106 14", preserveAspectRatio: "none", role: "img", "aria-label": `${share(model.ci95[0])} to ${share(model.ci95[1])}` },
    draw("line", { class: "axis", x1: 0, x2: 100, y1: 7, y2: 7 }),
    ...[0, 50, 100].map((x) => draw("line", { class: "axis", x1: x, x2: x, y1: 4, y2: 10 })),
    draw("line", { class: "bounds", x1: low, x2: high, y1: 7, y2: 7 }),
    draw("line", { class: "centre", x1: 100 * model.accuracy, x2: 100 * model.accuracy, y1: 2, y2: 12 }));
}

function outcomes(choose) {
  const models = data.models.filter((model) => Object.keys(model.outcomes).length);
  if (!models.length) return;
  show("outcomes");
  const known = Object.keys(VERDICTS);
  const rank = (verdict) => (known.indexOf(verdictName(verdict)) + 1 || known.length + 1);
  const verdicts = [...new Set(models.flatMap((model) => Object.keys(model.outcomes)))].sort((a, b) => rank(a) - rank(b));
  byId("bars").append(...models.map((model) => make("div", { class: "bar-row" }, make("span", { class: "bar-name" }, model.label),
    make("div", { class: "bar" }, ...verdicts.filter((verdict) => model.outcomes[verdict]).map((verdict) => segment(model, verdict, choose))))));
  byId("outcome-counts").append(
    make("thead", {}, make("tr", {}, make("td"), ...verdicts.map((verdict) => make("th", { scope: "col" }, verdictBadge(verdict))))),
    make("tbody", {}, ...models.map((model) => make("tr", {}, make("th", { scope: "row" }, model.label),
      ...verdicts.map((verdict) => make("td", {}, count(model.outcomes[verdict] ?? 0)))))));
}

function segment(model, verdict, choose) {
  const amount = model.outcomes[verdict];
  const all = Object.values(model.outcomes).reduce((sum, part) => sum + part, 0);
  const text = `${model.label}: ${verdictName(verdict)} ${count(amount)} of ${count(all)} (${share(amount / all)})`;
  const source = data.sources.findIndex((candidate) => candidate.kind === model.mode && candidate.of === model.key);
  const part = make("button", { type: "button", class: `segment ${verdictClass(verdict)}`, title: text, "aria-label": text,
    disabled: source < 0, onclick: () => choose(source, verdict) },
  make("span", { "aria-hidden": "true" }, `${verdictSign(verdict)} ${share(amount / all)}`));
  part.style.flexGrow = String(amount);
  return part;
}

function training() {
  if (!data.panels.length) return;
  show("curves");
  const smoothing = () => byId("smooth").checked;
  const announce = (text) => { byId("reading").textContent = text; };
  const all = [];
  for (const stage of new Set(data.panels.map((panel) => panel.stage))) {
    const charts = chartGroup(data.panels.filter((panel) => panel.stage === stage), smoothing, announce);
    all.push(...charts);
    const grid = (more) => make("div", { class: "grid" }, ...charts.filter((c) => c.panel.more === more).map((c) => c.element));
    const more = charts.filter((chart) => chart.panel.more).length;
    byId("charts").append(make("h3", {}, stage.toUpperCase().replace(/[_:]/g, " ")), grid(false));
    if (more) byId("charts").append(make("details", {}, make("summary", {}, `${more} further ${more === 1 ? "metric" : "metrics"} of ${stage}`), grid(true)));
  }
  byId("smooth").addEventListener("change", () => all.forEach((chart) => chart.draw()));
}

function details() {
  const folds = [
    ...data.trees.map(({ title, value }) => [title, "", make("div", { class: "scroll" }, tree(value))]),
    ...data.texts.map(({ title, file, text }) => [title, file, make("pre", {}, visible(text))]),
  ];
  if (!folds.length) return;
  show("details");
  byId("folds").append(...folds.map(([title, file, body]) =>
    make("details", {}, make("summary", {}, title, " ", make("code", { class: "muted" }, file)), body)));
}

header();
theme();
resultTable();
const choose = data.rows.length ? completionBrowser(data.sources, data.rows) : () => {};
outcomes(choose);
training();
changeBrowser(data.sources, data.rows);
details();
byId("sections").append(...[...document.querySelectorAll("main > section:not([hidden])")].map((section) =>
  make("a", { href: `#${section.id}` }, section.querySelector("h2").textContent)));
