"use strict";
const at = id => document.getElementById(id);
const [example, mesh, output, frame, passes] = ["example", "mesh", "output", "frame", "passes"].map(at);
const tabs = [...document.querySelectorAll("[role=tab]")];

// -- Python ------------------------------------------------------------------------------------------------------------

const worker = new Worker("worker.js", { type: "module" });
const waiting = new Map();
let sent = 0;

function ask(question) {
  const id = ++sent;
  worker.postMessage({ id, ...question });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

worker.onmessage = ({ data: { id, result, error } }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) resolve(result);
  else reject(new Error(error));
};
worker.onerror = event => say(`Python cannot be loaded: ${event.message ?? "the worker failed"}`);

const say = message => { at("status").textContent = message; };

// -- Answers -----------------------------------------------------------------------------------------------------------

const PAGES = new Set(["shardings", "passes"]);
let question = "shardings";
let newest = 0;

async function answer() {
  const number = ++newest;
  const asked = { question, text: text.value, passes: passes.value };
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
  else if (asked === "device") output.replaceChildren(...found.split("\n").flatMap(line => [...highlighted(line), "\n"]));
  else output.textContent = found;
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

for (const tab of tabs)
  tab.onclick = () => {
    question = tab.dataset.question;
    for (const each of tabs) each.setAttribute("aria-selected", each === tab);
    at("pipeline").hidden = question !== "passes";
    answer();
  };
at("pipeline").onsubmit = event => { event.preventDefault(); answer(); };

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
  history.replaceState(null, "", `#${await packed(text.value)}`);
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
  const examples = await (await fetch("examples.json")).json();
  example.append(...examples.map(({ title }, index) => new Option(title, index)));
  example.onchange = () => { if (example.value) open(examples[example.value].text); };
  if (location.hash.length <= 1) example.value = "0";
  text.value = await fromLink(examples[0].text);
  readMesh();
  show();
  const pyodide = document.querySelector("meta[name=pyodide]").content;
  const begin = performance.now();
  await ask({ pyodide: new URL(pyodide, location).href, packages: new URL("packages.zip", location).href });
  document.body.dataset.loaded = Math.round(performance.now() - begin);
  await answer();
}
start().catch(error => say(`Python cannot be loaded: ${error.message}`));
