// The scatter: two axes of choice, the front joined where the axes are its objectives.
const kinds = {
  infeasible: {label: "breaks a limit", color: "--broken", shape: "crossRot", size: 5, has: (p) => p.status === "infeasible"},
  invalid: {label: "not valid (see findings)", color: "--broken", shape: "rect", size: 4, has: (p) => p.status === "invalid"},
  beaten: {label: "beaten by another point", color: "--beaten", shape: "circle", size: 4, has: (p) => p.status === "ok" && !p.front},
  baseline: {label: "baseline", color: "--baseline", shape: "triangle", size: 7, has: (p) => p.baseline && !p.front},
  front: {label: "front", color: "--front", shape: "circle", size: 6, has: (p) => p.front},
  knee: {label: "knee", color: "--knee", shape: "rectRot", size: 9, has: (p) => p.knee},
};

const kindOf = (point) => ["knee", "front", "baseline", "beaten", "infeasible", "invalid"].find((kind) => kinds[kind].has(point));

/** What can be an axis: objectives, then other metrics, then load and numeric parameters. */
function axisChoices() {
  const objectives = data.objectives.map((objective) => objective.metric);
  const metrics = data.metrics.map((metric) => metric.name).filter((name) => !objectives.includes(name));
  const numeric = (read) => data.points.every((point) => ["number", "undefined"].includes(typeof read(point)));
  const choices = [];
  for (const name of objectives.filter((metric) => metricIndex.has(metric))) choices.push({group: "Objectives", name, read: (p) => metricOf(p, name), unit: unitOf(name)});
  for (const name of metrics) choices.push({group: "Metrics", name, read: (p) => metricOf(p, name), unit: unitOf(name)});
  for (const name of data.live) {
    const read = (p) => p.live[name];
    if (numeric(read)) choices.push({group: "Load", name: `${name} (set)`, read, unit: ""});
  }
  for (const name of data.parameters) {
    const read = (p) => p.configuration[name];
    if (numeric(read)) choices.push({group: "Parameters", name, read, unit: ""});
  }
  return choices;
}

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Intervals of the front members as thin crosses. */
const intervalBars = {
  id: "intervalBars",
  beforeDatasetsDraw(chart) {
    const {ctx, chartArea, scales} = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
    ctx.clip();
    ctx.strokeStyle = color("--front");
    ctx.globalAlpha = 0.45;
    for (const dataset of chart.data.datasets) {
      for (const item of dataset.bars ? dataset.data : []) {
        drawBar(ctx, scales, item, item.point.ci95[metricIndex.get(chart.options.axes.x)], "x");
        drawBar(ctx, scales, item, item.point.ci95[metricIndex.get(chart.options.axes.y)], "y");
      }
    }
    ctx.restore();
  },
};

function drawBar(ctx, scales, item, interval, axis) {
  if (!interval || interval[0] === null || interval[1] === null) return;
  const [low, high] = interval.map((value) => scales[axis].getPixelForValue(value));
  const other = axis === "x" ? scales.y.getPixelForValue(item.y) : scales.x.getPixelForValue(item.x);
  ctx.beginPath();
  if (axis === "x") { ctx.moveTo(low, other); ctx.lineTo(high, other); } else { ctx.moveTo(other, low); ctx.lineTo(other, high); }
  ctx.stroke();
}

class Scatter {
  constructor(onSelect) {
    this.choices = axisChoices();
    this.onSelect = onSelect;
    this.selected = null;
    this.fillSelect("x-axis", 0);
    this.fillSelect("y-axis", Math.min(1, this.choices.length - 1));
    for (const id of ["x-axis", "y-axis", "x-log", "y-log"]) byId(id).addEventListener("change", () => this.draw());
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  fillSelect(id, chosen) {
    const groups = new Map();
    this.choices.forEach((choice, index) => {
      if (!groups.has(choice.group)) groups.set(choice.group, element("optgroup", {label: choice.group}));
      groups.get(choice.group).append(element("option", {value: index, selected: index === chosen}, choice.name));
    });
    byId(id).replaceChildren(...groups.values());
  }

  axis(which) { return this.choices[Number(byId(`${which}-axis`).value)]; }

  /** Moves the ring; nothing else of the picture changes. */
  select(id) {
    this.selected = id;
    if (!this.chart) return;
    this.chart.data.datasets.find((set) => set.ring).data = this.items.filter((item) => item.point.id === id);
    this.chart.update("none");
  }

  draw() {
    const [x, y] = [this.axis("x"), this.axis("y")];
    if (!x || !y) return;
    const items = [];
    let hidden = 0;
    for (const point of data.points) {
      const [px, py] = [x.read(point), y.read(point)];
      const off = (value, which) => typeof value !== "number" || (byId(`${which}-log`).checked && value <= 0);
      if (off(px, "x") || off(py, "y")) hidden += point.status === "failed" ? 0 : 1;
      else if (kindOf(point)) items.push({x: px, y: py, point});
    }
    this.items = items;
    const datasets = this.datasets(items, x, y);
    if (this.chart) this.chart.destroy();
    this.chart = new Chart(byId("chart"), {type: "scatter", data: {datasets}, options: this.options(x, y), plugins: [intervalBars]});
    this.drawLegend(items);
    const failed = data.points.filter((point) => point.status === "failed").length;
    const notes = [];
    if (hidden > 0) notes.push(`${plural(hidden, "point")} without a value on these axes`);
    if (failed > 0) notes.push(`${plural(failed, "point")} failed and ${failed === 1 ? "has" : "have"} no place here`);
    byId("chart-note").textContent = notes.join("; ");
  }

  datasets(items, x, y) {
    const datasets = [];
    const joined = this.joined(x, y);
    if (joined) {
      const line = items.filter((item) => item.point.front).sort((a, b) => a.x - b.x);
      datasets.push({data: line, showLine: true, stepped: joined, pointRadius: 0, pointHitRadius: 0, borderColor: color("--front"), borderWidth: 2});
    }
    const chosen = items.filter((item) => item.point.id === this.selected);
    datasets.push({data: chosen, pointStyle: "circle", pointRadius: 13, borderColor: color("--text"), backgroundColor: "transparent", borderWidth: 2, ring: true});
    for (const [name, kind] of Object.entries(kinds)) {
      const own = items.filter((item) => kindOf(item.point) === name);
      const filled = !["crossRot", "rect"].includes(kind.shape);
      datasets.push({
        data: own, pointStyle: kind.shape, pointRadius: kind.size, pointHoverRadius: kind.size + 2, bars: name === "front" || name === "knee",
        borderColor: filled ? color("--panel") : color(kind.color), backgroundColor: filled ? color(kind.color) : "transparent", borderWidth: filled ? 1 : 2,
      });
    }
    // Chart.js draws the first dataset on top.
    return datasets.reverse();
  }

  /** How the front is stepped from left to right, or false if these axes are not the two objectives. */
  joined(x, y) {
    if (data.objectives.length !== 2 || x.group !== "Objectives" || y.group !== "Objectives" || x === y) return false;
    const across = data.objectives.find((objective) => objective.metric === x.name);
    return across.direction === "max" ? "after" : "before";
  }

  options(x, y) {
    const title = (axis) => {
      const objective = axis.group === "Objectives" && data.objectives.find((o) => o.metric === axis.name);
      const unit = axis.unit ? ` (${axis.unit})` : "";
      return axis.name + unit + (objective ? (objective.direction === "max" ? " – more is better" : " – less is better") : "");
    };
    const scale = (axis, which) => ({
      type: byId(`${which}-log`).checked ? "logarithmic" : "linear",
      title: {display: true, text: title(axis), color: color("--text"), font: {size: 13}},
      ticks: {color: color("--muted"), maxTicksLimit: 8, callback: (value) => short(value)},
      grid: {color: color("--grid"), borderColor: color("--line")},
      grace: "6%",
    });
    return {
      axes: {x: x.name, y: y.name},
      animation: false, responsive: true, maintainAspectRatio: false,
      interaction: {mode: "nearest", intersect: true},
      scales: {x: scale(x, "x"), y: scale(y, "y")},
      onClick: (event, _elements, chart) => {
        const hit = chart.getElementsAtEventForMode(event, "nearest", {intersect: true}, false)[0];
        if (hit) this.onSelect(chart.data.datasets[hit.datasetIndex].data[hit.index].point.id);
      },
      plugins: {
        legend: {display: false},
        tooltip: {
          displayColors: false,
          filter: (item, index) => index === 0,
          callbacks: {
            title: (tips) => tips.map((tip) => tip.raw.point.id),
            label: ({raw}) => [
              `${x.name}: ${withUnit(raw.x, x.unit)}`, `${y.name}: ${withUnit(raw.y, y.unit)}`,
              liveText(raw.point.live), configurationText(raw.point.configuration),
            ],
          },
        },
      },
    };
  }

  drawLegend(items) {
    const present = Object.entries(kinds).reverse().filter(([name]) => items.some((item) => kindOf(item.point) === name));
    byId("legend").replaceChildren(...present.map(([, kind]) => element("li", {}, legendMark(kind), kind.label)));
  }
}

function legendMark(kind) {
  const paths = {
    circle: "M7 2a5 5 0 1 0 .01 0z", triangle: "M7 2l5.5 10h-11z", rectRot: "M7 1l6 6-6 6-6-6z",
    crossRot: "M2.5 2.5l9 9m0-9l-9 9", rect: "M3 3h8v8h-8z",
  };
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  const filled = !["crossRot", "rect"].includes(kind.shape);
  svg.setAttribute("viewBox", "0 0 14 14");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", paths[kind.shape]);
  path.setAttribute("fill", filled ? `var(${kind.color})` : "none");
  if (!filled) path.setAttribute("stroke", `var(${kind.color})`);
  path.setAttribute("stroke-width", "2");
  svg.append(path);
  return svg;
}
