"use strict";
const at = id => document.getElementById(id);
const [example, mesh, output, frame, passes, level] = ["example", "mesh", "output", "frame", "passes", "level"].map(at);
const tabs = [...document.querySelectorAll("[role=tab]")];

// -- Python ------------------------------------------------------------------------------------------------------------

const waiting = new Map();
let worker;
let sent = 0;

function ask(question) {
  const id = ++sent;
  worker.postMessage({ id, ...question });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function startWorker() {
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data: { id, result, error } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(error));
  };
  worker.onerror = event => say(`Python cannot be loaded: ${event.message ?? "the worker failed"}`);
}

/** Have offline.js keep what is loaded from now on, in browsers and at addresses that allow it. */
async function keepFiles() {
  const workers = navigator.serviceWorker;
  if (workers === undefined || workers.controller !== null) return;
  const controlled = new Promise(resolve => { workers.oncontrollerchange = resolve; });
  const refused = new Promise(resolve => setTimeout(resolve, 3000));
  await workers.register("offline.js").then(() => Promise.race([controlled, refused]), () => {});
}

/** Drop older versions of Pyodide than that in this folder from what is kept, and say that the page needs no network. */
async function loaded(folder) {
  if (!navigator.serviceWorker?.controller) return;
  const cache = await caches.open("playground");
  for (const { url } of await cache.keys())
    if (!url.startsWith(location.origin) && !url.startsWith(folder)) await cache.delete(url);
  at("offline").hidden = false;
}

const say = message => { at("status").textContent = message; };

// -- Answers -----------------------------------------------------------------------------------------------------------

const PAGES = new Set(["shardings", "passes"]);
const TEXTS = new Set(["plan", "puzzle"]);
const OPTIONS = { passes: () => passes.value, kernel: () => level.value, puzzle: () => puzzle.option };
let question = "shardings";
let puzzle = null;
let newest = 0;

async function answer() {
  const number = ++newest;
  const asked = { question, text: text.value, option: OPTIONS[question]?.() ?? "" };
  const start = performance.now();
  say("Computing");
  try {
    const { answer: found, said, diagnostics } = await ask(asked);
    if (number !== newest) return;
    say(`${Math.round(performance.now() - start)} ms`);
    showDiagnostics(diagnostics, said);
    if (found !== null) showAnswer(asked.question, found);
    document.body.classList.toggle("outdated", found === null);
  } catch (error) {
    say(`Python stopped: ${error.message.trim().split("\n").pop()}`);
  }
}

function showAnswer(asked, found) {
  const isPage = PAGES.has(asked);
  frame.hidden = !isPage;
  output.hidden = isPage;
  if (isPage) frame.srcdoc = found;
  else if (TEXTS.has(asked)) output.textContent = found;
  else output.replaceChildren(...found.split("\n").flatMap(line => [...highlighted(line), "\n"]));
  output.classList.toggle("right", asked === "puzzle" && found.startsWith("Right."));
}

function showDiagnostics(diagnostics, said) {
  const items = diagnostics.map(({ line, column, severity, message }) => {
    const button = element("button", severity, `${line}${column ? `:${column}` : ""}: ${message}`);
    button.onclick = () => goTo(line, column);
    return element("li", "", button);
  });
  at("diagnostics").replaceChildren(...(items.length || !said ? items : [element("li", "error", said)]));
  show(Object.fromEntries(diagnostics.map(({ line, severity }) => [line, severity])));
}

/** Show the tab of a question, with its options. */
function choose(chosen) {
  question = chosen;
  for (const tab of tabs) tab.setAttribute("aria-selected", tab.dataset.question === chosen);
  for (const [name, of] of [["pipeline", "passes"], ["lowered", "kernel"], ["puzzle", "puzzle"]]) at(name).hidden = of !== chosen;
}

for (const tab of tabs) tab.onclick = () => { choose(tab.dataset.question); answer(); };
at("pipeline").onsubmit = event => { event.preventDefault(); answer(); };
level.onchange = () => answer();

// -- The program, its mesh, and its link -------------------------------------------------------------------------------

const AXES = /(sdy\.mesh\s+@\S+\s*=\s*<\[)([^\]]*)(\])/;

/** The axes of the first mesh in the text, as `data=4, model=8`. */
function readMesh() {
  const axes = AXES.exec(text.value)?.[2];
  mesh.value = axes === undefined ? "" : axes.replaceAll('"', "");
  mesh.disabled = axes === undefined;
}

mesh.oninput = () => {
  const axes = mesh.value.split(",").map(axis => axis.trim().replace(/^([^="]*)(?==)/, name => `"${name.trim()}"`));
  text.value = text.value.replace(AXES, (_, before, __, after) => before + axes.join(", ") + after);
  changed();
};

let timer;
function changed() {
  show();
  clearTimeout(timer);
  timer = setTimeout(() => { answer(); remember(); }, 300);
}
text.oninput = () => { example.value = ""; readMesh(); changed(); };

function open(program) {
  text.value = program;
  readMesh();
  changed();
}

/** Show the tab that an example is for, and the task of a puzzle. */
function introduce({ question: first, option, task, hint }) {
  puzzle = task === undefined ? null : { option };
  tabs.find(tab => tab.dataset.question === "puzzle").hidden = puzzle === null;
  if (puzzle !== null) {
    at("task").replaceChildren(...withCode(task));
    at("hint").replaceChildren(...withCode(hint));
  }
  if (first !== undefined || ["kernel", "puzzle"].includes(question)) choose(first ?? "shardings");
}

/** Text in which what is between backticks is code. */
const withCode = words => words.split("`").map((part, index) => index % 2 ? element("code", "", part) : part);

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** The text, deflated, as base64 of URLs. */
async function packed(program) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(program));
  const characters = Array.from(bytes, byte => String.fromCharCode(byte)).join("");
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(link) {
  const bytes = Uint8Array.from(atob(link.replaceAll("-", "+").replaceAll("_", "/")), byte => byte.charCodeAt(0));
  return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
}

async function remember() {
  const search = puzzle === null ? "" : `?puzzle=${puzzle.option}`;
  history.replaceState(null, "", `${location.pathname}${search}#${await packed(text.value)}`);
}

at("link").onclick = async () => {
  await remember();
  await navigator.clipboard.writeText(location.href);
  say("The link is copied");
};

// -- Start -------------------------------------------------------------------------------------------------------------

async function fromLink(other) {
  try {
    return location.hash.length > 1 ? await unpacked(location.hash.slice(1)) : other;
  } catch {
    say("This link holds no program");
    return other;
  }
}
onhashchange = async () => open(await fromLink(text.value));

async function start() {
  await keepFiles();
  startWorker();
  const examples = await (await fetch("examples.json")).json();
  const options = examples.map(({ title }, index) => new Option(title, index));
  for (const label of ["Programs", "Puzzles"]) {
    const isPuzzle = label === "Puzzles";
    const group = element("optgroup", "", ...options.filter(({ value }) => isPuzzle === "task" in examples[value]));
    group.label = label;
    example.append(group);
  }
  example.onchange = () => {
    if (!example.value) return;
    introduce(examples[example.value]);
    open(examples[example.value].text);
  };
  const named = new URLSearchParams(location.search).get("puzzle");
  const first = Math.max(examples.findIndex(({ task, option }) => task && option === named), 0);
  introduce(examples[first]);
  if (location.hash.length <= 1) example.value = first;
  text.value = await fromLink(examples[first].text);
  readMesh();
  show();
  const pyodide = new URL(document.querySelector("meta[name=pyodide]").content, location).href;
  const begin = performance.now();
  await ask({ pyodide, packages: new URL("packages.zip.xz", location).href });
  document.body.dataset.loaded = Math.round(performance.now() - begin);
  loaded(pyodide);
  await answer();
}
start().catch(error => say(`Python cannot be loaded: ${error.message}`));
