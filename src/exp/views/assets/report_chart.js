// Line charts as SVG, drawn at the size they are shown at, so that lines and letters stay crisp.

const HEIGHT = 190;
const MARGIN = { top: 8, right: 10, bottom: 24, left: 46 };
const SERIES = 6; // colours and dash patterns in the style sheet

/** All charts of one stage. They share the step that is pointed at. */
function chartGroup(panels, smoothing, announce) {
  const charts = panels.map((panel) => new Chart(panel, smoothing, (step, source) => {
    charts.forEach((chart) => chart.point(step));
    if (step !== null && source) announce(source.spoken(step));
  }));
  return charts;
}

class Chart {
  constructor(panel, smoothing, onPoint) {
    this.panel = panel;
    this.smoothing = smoothing;
    this.onPoint = onPoint;
    this.hidden = new Set();
    this.steps = [...new Set(panel.series.flatMap((s) => s.points.map(([step]) => step)))].sort((a, b) => a - b);
    this.at = panel.series.map((s) => new Map(s.points));
    this.svg = draw("svg", {
      class: "chart", height: HEIGHT, tabindex: "0", role: "img", "aria-label": this.summary(),
      onpointermove: (event) => this.onPoint(this.stepAt(event), null),
      onpointerdown: (event) => this.onPoint(this.stepAt(event), null),
      onpointerleave: () => this.onPoint(null, null),
      onblur: () => this.onPoint(null, null),
      onkeydown: (event) => this.key(event),
    });
    this.readings = panel.series.map(() => make("span", { class: "value" }));
    this.title = make("span", { class: "trend" });
    this.element = make("figure", { class: "panel" }, this.caption(), this.svg, this.legend());
    new ResizeObserver(() => this.draw()).observe(this.svg);
    this.point(null);
  }

  caption() {
    const text = make("figcaption", {}, make("strong", {}, this.panel.title), this.title);
    return this.panel.note ? fill(text, {}, [make("span", { class: "muted note" }, this.panel.note)]) : text;
  }

  legend() {
    return make("div", { class: "legend" }, ...this.panel.series.map((series, index) => {
      const swatch = draw("svg", { class: "swatch", width: 22, height: 8, "aria-hidden": "true" },
        draw("line", { class: `line s${index % SERIES}`, x1: 0, x2: 22, y1: 4, y2: 4 }));
      const parts = [swatch, " ", visible(series.name), " ", this.readings[index]];
      if (this.panel.series.length === 1) return make("span", { class: "key" }, ...parts);
      return make("button", { type: "button", class: "key", "aria-pressed": "true", onclick: (event) => {
        if (!this.hidden.delete(index)) this.hidden.add(index);
        event.currentTarget.setAttribute("aria-pressed", String(!this.hidden.has(index)));
        this.draw();
      } }, ...parts);
    }));
  }

  format(value) {
    if (value === null || value === undefined) return "–";
    if (this.panel.unit === "share") return share(value);
    return this.panel.unit ? `${number(value)} ${this.panel.unit}` : number(value);
  }

  summary() {
    const parts = this.panel.series.map((series) => `${series.name} ${this.trend(series).join(" to ")}`);
    return `${this.panel.stage}, ${this.panel.title}: ${parts.join("; ")}. Arrow keys read single steps.`;
  }

  /** Means of the first and of the last tenth of a series. */
  trend(series) {
    const values = series.points.map(([, value]) => value).filter((value) => value !== null);
    const tenth = Math.max(1, Math.floor(values.length / 10));
    const mean = (part) => part.reduce((sum, value) => sum + value, 0) / part.length;
    if (!values.length) return ["–"];
    if (values.length === 1) return [this.format(values[0])];
    const first = mean(values.slice(0, tenth));
    return [this.panel.unit === "share" ? share(first) : number(first), this.format(mean(values.slice(-tenth)))];
  }

  draw() {
    const width = this.svg.clientWidth;
    if (!width) return;
    const left = MARGIN.left, right = width - MARGIN.right, top = MARGIN.top, bottom = HEIGHT - MARGIN.bottom;
    const drawn = this.panel.series.map((series, index) => [series, index]).filter(([, i]) => !this.hidden.has(i));
    const [low, high, marks] = this.range(drawn.flatMap(([s]) => s.points.map(([, v]) => v)).filter((v) => v !== null));
    const first = this.steps[0], last = this.steps[this.steps.length - 1];
    this.x = (step) => (first === last ? (left + right) / 2 : left + ((step - first) / (last - first)) * (right - left));
    this.y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
    const parts = marks.flatMap((mark) => [
      draw("line", { class: "gridline", x1: left, x2: right, y1: this.y(mark), y2: this.y(mark) }),
      draw("text", { class: "tick", x: left - 6, y: this.y(mark) + 4, "text-anchor": "end" }, this.mark(mark)),
    ]);
    const stepMarks = ticks(first, last, Math.max(2, Math.floor(width / 80))).filter(Number.isInteger);
    parts.push(...stepMarks.map((step) => draw("text",
      { class: "tick", x: this.x(step), y: HEIGHT - 7, "text-anchor": "middle" }, count(step))));
    parts.push(draw("text", { class: "tick", x: 2, y: HEIGHT - 7 }, "step"));
    for (const [series, index] of drawn) parts.push(...this.curve(series, index));
    this.cursor = draw("g", { class: "cursor" });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.svg.replaceChildren(...parts, this.cursor);
  }

  mark(value) {
    return this.panel.unit === "share" ? `${Number((100 * value).toPrecision(3))}\u00a0%` : number(value);
  }

  range(values) {
    let low = Math.min(...values), high = Math.max(...values);
    if (!values.length) [low, high] = [0, 1];
    if (low > 0 && low < 0.6 * high) low = 0;
    if (this.panel.unit === "share") [low, high] = [0, high > 0.3 ? 1 : Math.max(high, 0.02)];
    if (low === high) [low, high] = [low - Math.abs(low || 1) / 2, high + Math.abs(high || 1) / 2];
    const marks = ticks(low, high, 4);
    const pace = marks[1] - marks[0];
    low = Math.floor(low / pace + 1e-9) * pace;
    high = Math.ceil(high / pace - 1e-9) * pace;
    return [low, high, ticks(low, high, 4)];
  }

  curve(series, index) {
    const style = `line s${index % SERIES}`;
    const points = series.points.filter(([, value]) => value !== null);
    if (points.length === 1) {
      return [draw("circle", { class: `dot s${index % SERIES}`, cx: this.x(points[0][0]), cy: this.y(points[0][1]), r: 3 })];
    }
    const smooth = this.smoothing() && points.length >= 20;
    const raw = draw("path", { class: smooth ? `${style} pale` : style, d: this.path(series.points) });
    return smooth ? [raw, draw("path", { class: style, d: this.path(averaged(series.points)) })] : [raw];
  }

  path(points) {
    let command = "M";
    let path = "";
    for (const [step, value] of points) {
      if (value === null) command = "M";
      else {
        path += `${command}${this.x(step).toFixed(1)} ${this.y(value).toFixed(1)}`;
        command = "L";
      }
    }
    return path;
  }

  stepAt(event) {
    const place = event.clientX - this.svg.getBoundingClientRect().left;
    return this.steps.reduce((best, step) => (Math.abs(this.x(step) - place) < Math.abs(this.x(best) - place) ? step : best));
  }

  key(event) {
    const last = this.steps.length - 1;
    const place = this.pointed === null ? last : this.steps.indexOf(this.pointed);
    const stride = event.shiftKey ? 10 : 1;
    const target = { ArrowLeft: place - stride, ArrowRight: place + stride, Home: 0, End: last }[event.key];
    if (event.key === "Escape") this.onPoint(null, null);
    if (target === undefined) return;
    event.preventDefault();
    this.onPoint(this.steps[Math.min(last, Math.max(0, target))], this);
  }

  /** Show the values at a step; null shows where each series began and ended. */
  point(step) {
    this.pointed = step !== null && this.at.some((values) => values.has(step)) ? step : null;
    const single = this.panel.series.length === 1;
    this.title.textContent = step === null ? (single ? this.trend(this.panel.series[0]).join(" → ") : "") : `step ${count(step)}`;
    this.panel.series.forEach((series, index) => {
      this.readings[index].textContent =
        step === null ? (single ? "" : this.trend(series).join(" → ")) : this.format(this.at[index].get(step));
    });
    if (!this.cursor) return;
    this.cursor.replaceChildren();
    if (this.pointed === null) return;
    const x = this.x(step);
    this.cursor.append(draw("line", { x1: x, x2: x, y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }));
    this.at.forEach((values, index) => {
      const value = values.get(step);
      if (value === null || value === undefined || this.hidden.has(index)) return;
      this.cursor.append(draw("circle", { class: `dot s${index % SERIES}`, cx: x, cy: this.y(value), r: 3.5 }));
    });
  }

  spoken(step) {
    const values = this.panel.series.map((series, index) => `${series.name} ${this.format(this.at[index].get(step))}`);
    return `step ${step}: ${values.join(", ")}`;
  }
}

/** Round numbers from `low` to `high`, about `wanted` of them. */
function ticks(low, high, wanted) {
  if (high <= low) return [low];
  const rough = (high - low) / wanted;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const pace = [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((step) => step >= rough * 0.999);
  const found = [];
  for (let place = Math.ceil(low / pace - 1e-9); place * pace <= high + pace * 1e-9; place += 1) {
    found.push(Number((place * pace).toPrecision(12)));
  }
  return found;
}

/** Centred moving average over about a tenth of the points. */
function averaged(points) {
  const reach = Math.max(2, Math.round(points.length / 20));
  return points.map(([step, value], place) => {
    if (value === null) return [step, null];
    const near = points.slice(Math.max(0, place - reach), place + reach + 1).map(([, v]) => v).filter((v) => v !== null);
    return [step, near.reduce((sum, v) => sum + v, 0) / near.length];
  });
}
