// The data of the page and small helpers. Text from the study only ever enters the page as text nodes.
const data = JSON.parse(document.getElementById("data").textContent);
const pointById = new Map(data.points.map((point) => [point.id, point]));
const metricIndex = new Map(data.metrics.map((metric, index) => [metric.name, index]));

const byId = (id) => document.getElementById(id);

/** A new element; children are nodes or text. */
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** Four digits, as in the terminal; whole numbers from 1000 on. */
function short(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  return String(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4)));
}

const withUnit = (value, unit) => (value === null || value === undefined || !unit ? short(value) : `${short(value)} ${unit}`);

/** The value of a metric, null if it is not known. */
function metricOf(point, name) {
  const index = metricIndex.get(name);
  return index === undefined ? null : point.metrics[index];
}

const unitOf = (name) => (metricIndex.has(name) ? data.metrics[metricIndex.get(name)].unit : "");

const textOf = (value) => (value !== null && typeof value === "object" ? JSON.stringify(value) : String(value));

const describe = (values) => Object.entries(values).map(([name, value]) => `${name}=${textOf(value)}`).join(" ");

/** What differs between the configurations of this study; all of it if nothing does. */
function configurationText(configuration) {
  const varying = data.parameters.filter((name) => name in configuration);
  const shown = varying.length > 0 ? varying : Object.keys(configuration);
  return shown.map((name) => `${name}=${textOf(configuration[name])}`).join(" ") || "defaults";
}

const liveText = (live) => Object.entries(live).map(([name, value]) => `${name} ${textOf(value)}`).join(", ");

function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 60) return `${short(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${String(Math.round(seconds % 60)).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, "0")}m`;
}

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : (/(s|sh|ch|x)$/.test(word) ? "es" : "s")}`;

/** Copies text; pages opened from a file may lack the clipboard interface. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", {"aria-hidden": "true"}, text);
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}

/** A command in a box with a button that copies it. */
function commandBox(command) {
  const button = element("button", {type: "button", onclick: async () => {
    button.textContent = (await copyText(command)) ? "Copied" : "Select the text and copy it";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  }}, "Copy");
  return element("div", {}, element("pre", {}, command), button);
}

/** A list of facts; nested objects are indented by their names. */
function addFacts(list, object, prefix = "") {
  for (const [name, value] of Object.entries(object)) {
    if (value !== null && typeof value === "object" && !Array.isArray(value)) {
      addFacts(list, value, `${prefix}${name} `);
    } else if (value !== null && value !== "") {
      const text = Array.isArray(value) ? value.map(textOf).join(", ") : textOf(value);
      list.append(element("dt", {}, prefix + name), element("dd", {}, text));
    }
  }
}
