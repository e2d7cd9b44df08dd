// The page to try a model: fields for its inputs, and its outputs as numbers and bars.
// The token stays in this script's memory; nothing is stored and nothing is asked of another server.
"use strict";

const byId = (id) => document.getElementById(id);

/** Makes an element with attributes and children. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

let token = "";
let model = null;
/** A function for each input that gives its nested lists; and the picture's file, if one is chosen. */
let fields = new Map();
let chosenFile = () => null;

function headers(more = {}) {
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

function say(text, bad = false) {
  byId("status").textContent = text;
  byId("status").className = bad ? "bad" : "quiet";
}

/** A shape as a reader has it: open sizes by their names. */
const shapeText = (shape) => (shape ? `[${shape.map((n) => n ?? "?").join(", ")}]` : "of any shape");

/** Nested lists of zeros; an open size is 1. */
function zeros(shape, depth = 0) {
  if (depth === shape.length) return 0;
  const n = typeof shape[depth] === "number" ? shape[depth] : 1;
  return Array.from({ length: n }, () => zeros(shape, depth + 1));
}

const count = (shape) => shape.reduce((n, size) => n * (typeof size === "number" ? size : 1), 1);

/** A field for nested lists, filled with zeros where they are few. */
function textField(input, id) {
  const area = make("textarea", { id, spellcheck: "false", "aria-describedby": `${id}-note` });
  if (input.shape && count(input.shape) <= 64) area.value = JSON.stringify(zeros(input.shape));
  const note = make("p", { id: `${id}-note`, class: "quiet" }, `Nested lists ${shapeText(input.shape)}, as JSON.`);
  return { elements: [make("label", { for: id }, "Numbers"), area, note], area };
}

/** A square to draw on, in white on black as handwritten digits are, which gives its pixels as 0 to 1. */
function pad(input, height, width) {
  const canvas = make("canvas", {
    width,
    height,
    role: "img",
    "aria-label": `A pad of ${width} by ${height} pixels to draw on; numbers and a file can be given instead`,
  });
  canvas.style.setProperty("aspect-ratio", `${width} / ${height}`);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  let drawn = false;
  const clear = () => {
    context.fillStyle = "#000";
    context.fillRect(0, 0, width, height);
    drawn = false;
  };
  clear();
  let last = null;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * width, ((event.clientY - box.top) / box.height) * height];
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    last = at(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!last) return;
    const next = at(event);
    context.strokeStyle = "#fff";
    context.lineWidth = Math.max(1, Math.min(width, height) / 12);
    context.lineCap = "round";
    context.beginPath();
    context.moveTo(...last);
    context.lineTo(...next);
    context.stroke();
    last = next;
    drawn = true;
  });
  const end = () => {
    if (last && drawn) byId("form").requestSubmit();
    last = null;
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  const button = make("button", { type: "button" }, "Clear");
  button.addEventListener("click", clear);
  const pixels = () => {
    const { data } = context.getImageData(0, 0, width, height);
    const { mean, std } = model.picture;
    const scale = (x) => (x / 255 - (mean[0] ?? 0)) / (std[0] ?? 1);
    const value = (x) => (input.dtype === "uint8" ? x : scale(x));
    const rows = Array.from({ length: height }, (_, i) =>
      Array.from({ length: width }, (_, j) => value(data[(i * width + j) * 4])),
    );
    return [[rows]];
  };
  return { elements: [canvas, make("div", { class: "row" }, button)], pixels };
}

function fieldset(input, index) {
  const id = `input-${index}`;
  const title = `${input.name}: ${input.dtype ?? "numbers"} ${shapeText(input.shape)}`;
  const set = make("fieldset", {}, make("legend", {}, title));
  const picture = model.picture;
  let drawing = null;
  if (picture?.channels === 1 && picture.height && picture.width && picture.height <= 256 && picture.width <= 256) {
    drawing = pad(input, picture.height, picture.width);
    set.append(...drawing.elements);
  }
  if (picture) {
    const file = make("input", { type: "file", id: `${id}-file`, accept: "image/png,image/jpeg" });
    set.append(make("label", { for: `${id}-file` }, "A picture, PNG or JPEG"), file);
    chosenFile = () => file.files[0] ?? null;
  }
  const typed = textField(input, id);
  set.append(...typed.elements);
  if (drawing) typed.area.value = "";
  const read = () => (drawing && !typed.area.value.trim() ? drawing.pixels() : JSON.parse(typed.area.value));
  fields.set(input.name, read);
  return set;
}

/** One row of an output as a table with a bar for each number. */
function table(name, row, index) {
  const numbers = row.map(Number);
  const finite = numbers.filter(Number.isFinite);
  const [low, high] = [Math.min(0, ...finite), Math.max(0, ...finite)];
  const most = numbers.indexOf(Math.max(...finite));
  const body = make("tbody");
  numbers.slice(0, 200).forEach((x, i) => {
    const bar = make("meter", { min: low, max: high === low ? low + 1 : high, value: Number.isFinite(x) ? x : low });
    bar.setAttribute("aria-hidden", "true");
    const text = typeof row[i] === "number" && !Number.isInteger(x) ? x.toPrecision(6) : String(row[i]);
    const line = make("tr", {}, make("th", { scope: "row" }, String(i)), make("td", {}, text), make("td", {}, bar));
    if (i === most && numbers.length > 1) line.className = "most";
    body.append(line);
  });
  const caption = numbers.length > 200 ? `${name}, row ${index}: the first 200 of ${numbers.length}` : `${name}, row ${index}`;
  return make("div", { class: "table" }, make("table", {}, make("caption", {}, caption), body));
}

function show(outputs) {
  const place = byId("outputs");
  place.replaceChildren();
  for (const [name, value] of Object.entries(outputs)) {
    const rows = Array.isArray(value) ? value : [value];
    const flat = rows.slice(0, 8).map((row) => (Array.isArray(row) ? row.flat(Infinity) : [row]));
    if (rows.every((row) => !Array.isArray(row))) place.append(table(name, rows, 0));
    else flat.forEach((row, i) => place.append(table(name, row, i)));
  }
}

async function predict(event) {
  event.preventDefault();
  const file = chosenFile();
  let request;
  try {
    if (file) {
      request = { headers: headers({ "Content-Type": file.type || "image/png" }), body: file };
    } else {
      const inputs = Object.fromEntries([...fields].map(([name, read]) => [name, read()]));
      request = { headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify({ inputs }) };
    }
  } catch (error) {
    say(`The numbers are no JSON: ${error.message}`, true);
    return;
  }
  say("Running …");
  const begun = performance.now();
  try {
    const answer = await fetch("/predict", { method: "POST", ...request });
    const result = await answer.json();
    if (!answer.ok) {
      say(`${result.detail}. Remedy: ${result.remedy}.`, true);
      return;
    }
    show(result.outputs);
    say(`Answered in ${(performance.now() - begun).toFixed(1)} ms.`);
  } catch (error) {
    say(`The server did not answer: ${error.message}`, true);
  }
}

function begin() {
  byId("name").textContent = model.name;
  document.title = `${model.name}, served by glow`;
  const joins = model.batching.joins ? `requests are joined to ${model.batching.most_rows} rows` : "requests run one by one";
  byId("about").textContent = `${model.format}; ${joins}.`;
  fields = new Map();
  byId("inputs").replaceChildren(...model.inputs.map(fieldset));
  const small = model.inputs.every((input) => input.shape && count(input.shape) <= 16);
  const inputs = Object.fromEntries(model.inputs.map((input) => [input.name, small ? zeros(input.shape) : ["…"]]));
  const bearer = token ? ' \\\n  -H "Authorization: Bearer $TOKEN"' : "";
  byId("curl").textContent =
    `curl ${location.origin}/predict \\\n  -H "Content-Type: application/json"${bearer} \\\n  -d '${JSON.stringify({ inputs })}'`;
  byId("try").hidden = false;
}

async function load() {
  const answer = await fetch("/model", { headers: headers() });
  byId("token-form").hidden = answer.status !== 401;
  if (!answer.ok) {
    say(answer.status === 401 ? (token ? "This is not the server's token." : "Give the token first.") : "The server tells nothing of its model.", answer.status !== 401 || token !== "");
    return;
  }
  model = await answer.json();
  say("Nothing has run yet.");
  begin();
}

byId("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  token = byId("token").value.trim();
  load();
});
byId("form").addEventListener("submit", predict);
load().catch((error) => say(`The server did not answer: ${error.message}`, true));
