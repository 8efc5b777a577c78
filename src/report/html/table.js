// The table of points: sortable, limited to the front or not, and filtered by limits typed in.
function tableColumns() {
  const columns = [{title: "status", unit: "", number: false, read: (p) => (p.knee ? "knee" : p.front ? "front" : p.status === "ok" ? "beaten" : p.status)}];
  const metrics = new Set([...data.objectives.map((o) => o.metric), ...data.limits.map((l) => l.metric)]);
  for (const name of metrics) columns.push({title: name, unit: unitOf(name), number: true, read: (p) => metricOf(p, name)});
  for (const name of data.live) columns.push({title: name, unit: "set", number: true, read: (p) => p.live[name] ?? null});
  for (const name of data.parameters) {
    const number = data.points.every((p) => ["number", "undefined"].includes(typeof p.configuration[name]));
    columns.push({title: name, unit: "", number, read: (p) => p.configuration[name] ?? null});
  }
  if (data.points.some((p) => p.probability !== null)) columns.push({title: "P(front)", unit: "", number: true, read: (p) => p.probability});
  columns.push({title: "launch", unit: "", number: true, read: (p) => p.launch});
  return columns;
}

/** "ttft:p95 <= 200 and output_throughput >= 100" as tests of a point, or the part that was not understood. */
function parseFilter(text) {
  const tests = [];
  for (const part of text.split(/\s+and\s+|[,;]/).map((word) => word.trim()).filter(Boolean)) {
    const match = /^(.+?)\s*(<=|>=|<|>)\s*([-+]?[\d.]+(?:e[-+]?\d+)?)\s*(ms|s|%)?$/i.exec(part);
    if (!match) return {error: part};
    const name = match[1];
    const scale = match[4] === "%" ? 0.01 : match[4] === "s" && unitOf(name) === "ms" ? 1000 : 1;
    const bound = Number(match[3]) * scale;
    if (!(metricIndex.has(name) || data.live.includes(name) || data.points.some((p) => name in p.configuration)) || Number.isNaN(bound)) return {error: part};
    const read = (p) => (data.live.includes(name) ? p.live[name] : metricIndex.has(name) ? metricOf(p, name) : p.configuration[name]);
    const compare = {"<=": (v) => v <= bound, ">=": (v) => v >= bound, "<": (v) => v < bound, ">": (v) => v > bound}[match[2]];
    tests.push((p) => typeof read(p) === "number" && compare(read(p)));
  }
  return {tests};
}

class PointTable {
  constructor(onSelect) {
    this.onSelect = onSelect;
    this.columns = tableColumns();
    this.sort = {column: 1, down: (data.objectives[0] || {}).direction === "max"};
    this.selected = null;
    const example = data.metrics.length > 0 ? (data.limits[0] ? data.limits[0].text : `${data.objectives[0].metric} ${data.objectives[0].direction === "max" ? ">=" : "<="} 100`) : "";
    byId("table-filter").placeholder = example;
    if (data.front.length === 0) byId("table-scope").value = "all";
    byId("table-scope").addEventListener("change", () => this.draw());
    byId("table-filter").addEventListener("input", () => this.draw());
    byId("table-form").addEventListener("submit", (event) => event.preventDefault());
    this.draw();
  }

  rows() {
    const scope = byId("table-scope").value;
    const inScope = {front: (p) => p.front, feasible: (p) => p.status === "ok", all: (p) => p.status !== "failed"}[scope];
    const filter = parseFilter(byId("table-filter").value);
    byId("table-filter").setAttribute("aria-invalid", filter.error ? "true" : "false");
    const all = data.points.filter(inScope);
    const rows = filter.error ? all : all.filter((p) => filter.tests.every((test) => test(p)));
    byId("filter-note").textContent = filter.error
      ? `“${filter.error}” is not understood: write NAME <= NUMBER, several joined with “and”.`
      : rows.length === all.length ? `${plural(rows.length, "point")}` : `${rows.length} of ${plural(all.length, "point")}`;
    return rows.sort((a, b) => this.compare(a, b));
  }

  compare(a, b) {
    const {read, number} = this.columns[this.sort.column];
    const [va, vb] = [read(a), read(b)];
    if (va === null || vb === null) return (va === null) - (vb === null);
    const order = number ? va - vb : String(va).localeCompare(String(vb), "en", {numeric: true});
    return this.sort.down ? -order : order;
  }

  draw() {
    byId("point-table").replaceChildren(
      element("caption", {hidden: true}, "Measured points"), this.head(), element("tbody", {}, ...this.rows().map((point) => this.row(point))));
  }

  head() {
    const cells = this.columns.map((column, index) => {
      const sorted = index === this.sort.column;
      const order = sorted ? (this.sort.down ? "descending" : "ascending") : "none";
      const mark = sorted ? (this.sort.down ? " ↓" : " ↑") : "";
      const button = element("button", {type: "button", onclick: () => this.sortBy(index)}, column.title + mark);
      return element("th", {scope: "col", class: column.number ? "number" : null, "aria-sort": order}, button, element("small", {}, column.unit || "\u00a0"));
    });
    return element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "point", element("small", {}, "\u00a0")), ...cells));
  }

  row(point) {
    const cells = this.columns.map(({read, number}) => {
      const value = read(point);
      const text = number ? short(value) : value === null ? "–" : textOf(value);
      return element("td", {class: number ? "number" : null, title: text.length > 40 ? text : null}, text);
    });
    const button = element("button", {type: "button"}, point.id);
    return element("tr", {"data-id": point.id, class: point.id === this.selected ? "chosen" : null, onclick: () => this.onSelect(point.id)},
      element("th", {scope: "row"}, button), ...cells);
  }

  sortBy(index) {
    this.sort = {column: index, down: index === this.sort.column ? !this.sort.down : false};
    this.draw();
    byId("point-table").querySelectorAll("thead button")[index].focus();
  }

  select(id) {
    this.selected = id;
    for (const row of byId("point-table").querySelectorAll("tbody tr")) row.classList.toggle("chosen", row.dataset.id === id);
  }
}
