// Everything about one point: what it is, what was measured, how to start it.
function tags(point) {
  const words = [];
  if (point.front) words.push(["front", "on the front"]);
  if (point.knee) words.push(["knee", "knee"]);
  if (point.baseline) words.push(["baseline", "baseline"]);
  if (point.status !== "ok") words.push([point.status, point.status]);
  if (words.length === 0) words.push(["ok", "beaten by another point"]);
  return element("p", {}, ...words.map(([kind, text]) => element("span", {class: `tag ${kind}`}, text)));
}

function metricText(point, index) {
  const value = withUnit(point.metrics[index], data.metrics[index].unit);
  const interval = point.ci95[index];
  if (!interval) return value;
  return element("span", {}, value, element("small", {}, `95 %: ${short(interval[0])} – ${short(interval[1])}`));
}

function facts(pairs) {
  return element("dl", {class: "facts"}, ...pairs.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

function limitFacts(point) {
  return data.limits.map((limit) => {
    const value = metricOf(point, limit.metric);
    const met = value !== null && (limit.upper ? value <= limit.bound : value >= limit.bound);
    const word = value === null ? "not known" : met ? "met" : "broken";
    return [limit.text, element("span", {class: met ? "good" : "bad"}, `${word} (${withUnit(value, unitOf(limit.metric))})`)];
  });
}

function showDetails(point) {
  const body = byId("details-body");
  const shown = new Set([...data.objectives.map((o) => o.metric), ...data.limits.map((l) => l.metric)]);
  const known = (name) => metricIndex.has(name) && metricOf(point, name) !== null;
  const row = (name) => [name, metricText(point, metricIndex.get(name))];
  const first = [...shown].filter(known).map(row);
  const rest = data.metrics.map((metric) => metric.name).filter((name) => known(name) && !shown.has(name)).map(row);
  const setting = [...Object.entries(point.live), ...Object.entries(point.configuration)].map(([name, value]) => [name, textOf(value)]);
  const about = [["launch", String(point.launch)], ["repeats", String(point.repeats)]];
  if (point.gpus !== null) about.push(["GPUs", short(point.gpus)]);
  if (point.probability !== null) about.push(["P(on front)", short(point.probability)]);
  if (point.findings.length > 0) about.push(["findings", point.findings.join(", ")]);
  const command = data.commands[point.launch];
  body.replaceChildren(
    element("p", {}, element("code", {}, point.id)), tags(point), facts(first), ...(data.limits.length > 0 ? [facts(limitFacts(point))] : []),
    element("h3", {class: "small"}, "Setting"), facts(setting.length > 0 ? setting : [["configuration", "defaults"]]),
    ...(command ? [element("h3", {class: "small"}, "Launch command"), commandBox(command)] : []),
    element("h3", {class: "small"}, "Also measured"),
    element("div", {class: "details-scroll", tabindex: "0", role: "region", "aria-label": "All metrics"}, facts([...about, ...rest])),
  );
}
