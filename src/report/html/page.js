// Puts the page together.
function showSummary() {
  const parts = [data.engine + (data.model ? ` · ${data.model}` : "") + (data.url ? ` · ${data.url}` : "")];
  parts.push(plural(data.budget.launches, "launch"), plural(data.budget.points, "point"));
  if (data.budget.seconds > 0) parts.push(duration(data.budget.seconds));
  parts.push(`searched with ${data.method}`);
  if (data.limits.length > 0) parts.push(`limits: ${data.limits.map((limit) => limit.text).join(", ")}`);
  byId("summary").textContent = parts.join(" · ");
}

function pickCard(pick, select) {
  const point = pointById.get(pick.id);
  const list = element("dl", {});
  for (const change of pick.changes) {
    const verdict = change.better === null ? "" : change.better ? "good" : "bad";
    list.append(element("dt", {}, change.metric), element("dd", {},
      element("strong", {}, withUnit(change.value, change.unit)), " ",
      change.text ? element("span", {class: verdict}, change.text) : "",
      change.before !== null ? element("small", {}, `baseline ${withUnit(change.before, change.unit)}`) : ""));
  }
  const same = pick.baseline === pick.id ? element("p", {class: "muted"}, "The baseline itself is the best.") : null;
  return element("article", {class: "card"}, element("h3", {}, pick.names.join(", ")),
    element("p", {class: "muted"}, `${liveText(point.live)} · ${configurationText(point.configuration)}`), list, same,
    element("button", {type: "button", onclick: () => select(pick.id)}, "Show the point"));
}

function showPicks(select) {
  const note = byId("picks-note");
  if (data.picks.length > 0) {
    byId("pick-cards").replaceChildren(...data.picks.map((pick) => pickCard(pick, select)));
    note.textContent = data.picks.some((pick) => pick.baseline) ? "Each is compared with the baseline's own best point of that kind." : "";
    return;
  }
  if (data.nearest === null) {
    note.textContent = "No point could be measured; see the failures below.";
    return;
  }
  const point = pointById.get(data.nearest);
  note.textContent = "No measured point meets the limits. The nearest:";
  byId("pick-cards").replaceChildren(element("article", {class: "card"}, element("h3", {}, `off by ${short(point.violation * 100)} % in sum`),
    element("p", {class: "muted"}, `${liveText(point.live)} · ${configurationText(point.configuration)}`), facts(limitFacts(point)),
    element("button", {type: "button", onclick: () => select(point.id)}, "Show the point")));
}

function failureEntry(failure) {
  const end = failure.signal !== null ? `signal ${failure.signal}` : failure.exit_code !== null ? `exit code ${failure.exit_code}` : null;
  const pairs = [["launch", String(failure.launch)], ["configuration", describe(failure.configuration) || "defaults"]];
  if (failure.live) pairs.push(["load", liveText(failure.live)]);
  if (end) pairs.push(["ended with", end]);
  if (failure.cause) pairs.push(["cause", failure.cause]);
  if (failure.advice) pairs.push(["advice", failure.advice]);
  if (failure.log) pairs.push(["log", failure.log]);
  if (failure.flaky) pairs.push(["note", "worked at another try"]);
  return facts(pairs);
}

function showFailures() {
  const groups = new Map();
  for (const failure of data.failures) {
    const key = `${failure.class} at ${failure.phase}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(failure);
  }
  byId("failures").hidden = groups.size === 0;
  byId("failure-list").replaceChildren(...[...groups].sort((a, b) => b[1].length - a[1].length).map(([key, list]) =>
    element("details", {}, element("summary", {}, element("span", {class: "tag failed"}, key), `×${list.length} `, element("span", {class: "muted"}, list[0].cause)),
      element("div", {class: "inside"}, ...list.map(failureEntry)))));
}

function showFindings() {
  byId("findings").hidden = data.findings.length === 0;
  byId("finding-list").replaceChildren(...data.findings.map((finding) => element("li", {},
    element("span", {class: finding.invalidates ? "tag invalid" : "tag ok"}, finding.code),
    `${plural(finding.points, "point")}${finding.invalidates ? ", left out of the front" : ""}. ${finding.message} `,
    element("span", {class: "muted"}, finding.recommendation))));
}

function showEnvironment() {
  const list = byId("environment-list");
  addFacts(list, {paretune: data.version, engine: data.engine, model: data.model, url: data.url});
  addFacts(list, data.environment);
  const reference = Object.entries(data.reference_point).map(([name, value]) => `${name} ${withUnit(value, unitOf(name))}`);
  if (reference.length > 0) addFacts(list, {hypervolume: `${short(data.hypervolume)} to the reference point ${reference.join(", ")}`});
  const commands = Object.entries(data.commands);
  byId("commands").hidden = commands.length === 0;
  // Only when asked for: a large study has hundreds.
  byId("commands").addEventListener("toggle", () => {
    byId("command-list").replaceChildren(...commands.map(([launch, command]) => element("li", {value: launch}, commandBox(command))));
  }, {once: true});
}

let scatter = null, table = null;

function select(id) {
  const point = pointById.get(id);
  if (!point) return;
  showDetails(point);
  scatter.select(id);
  table.select(id);
}

/** From a card or the table the details may be out of sight. */
function selectAndShow(id) {
  select(id);
  const box = byId("details").getBoundingClientRect();
  if (box.top < 0 || box.top > window.innerHeight - 120) byId("details").scrollIntoView({block: "start"});
}

showSummary();
showPicks(selectAndShow);
scatter = new Scatter(select);
table = new PointTable(selectAndShow);
showFailures();
showFindings();
showEnvironment();
const firstChoice = data.picks.length > 0 ? data.picks[data.picks.length - 1].id : data.nearest;
if (firstChoice) select(firstChoice);
scatter.draw();
