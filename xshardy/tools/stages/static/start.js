"use strict";

/** Select lines of the source, or none if they are selected already; `row` was clicked, and stays where it is. */
function select(lines, row) {
  const same = lines.size === state.selected.size && [...lines].every(line => state.selected.has(line));
  state.selected = new Set(same ? [] : lines);
  for (const each of document.querySelectorAll(".row")) each.refresh();
  scrollToMarked(row);
  showSteps();
}

function showSteps() {
  const nodes = stages().map((stage, number) => {
    const name = element("button", "", number ? stage.name : `${stage.name} (source)`);
    name.addEventListener("click", () => show(number));
    const step = element("div", "step", name);
    step.classList.toggle("shown", state.shown.includes(number));
    step.classList.toggle("unchanged", number > 1 && !stage.changes.length);
    const count = linked(stage).length;
    step.classList.toggle("linked", count > 0);
    const said = state.selected.size ? `${count} line${count === 1 ? "" : "s"}` : number > 1 ? changed(stage) : "";
    step.append(element("span", "count", said));
    if (hasSteps(stage)) step.append(stepsButton(stage, number));
    return step;
  });
  byId("steps").classList.toggle("brief", !byId("unchanged").checked);
  const failure = data.programs[state.program].failure;
  if (failure) nodes.push(element("p", "failure", failure));
  byId("steps").replaceChildren(...nodes);
  const lines = [...state.selected].sort((a, b) => a - b);
  byId("selection").textContent = lines.length ? `${data.source.name} line${lines.length > 1 ? "s" : ""} ${lines.join(", ")}` : "";
}

function stepsButton(stage, number) {
  const {count} = stage.steps;
  const made = button(`${count} ▸`, `walk through ${count} step${count === 1 ? "" : "s"} of ${stage.name}`, () => walkThrough(number, 0));
  made.classList.add("into");
  return made;
}

/** `+3 −2`, how many lines a step added and removed. */
function changed(stage) {
  let added = 0, removed = 0;
  for (const [a, b, c, d] of stage.changes) { added += d - c; removed += b - a; }
  return added || removed ? `+${added} −${removed}` : "";
}

/** Show a stage: alone, or side by side with those that are shown, in the order of the steps; or hide it there. */
function show(number) {
  endWalk();
  if (!byId("side").checked) state.shown = [number];
  else if (!state.shown.includes(number)) state.shown = [...state.shown, number].sort((a, b) => a - b);
  else if (state.shown.length > 1) state.shown = state.shown.filter(each => each !== number);
  showSteps();
  showColumns();
}

/** Start with a program: all its stages side by side, or the first, with what changed in it. */
function showProgram() {
  state.program = byId("program").selectedIndex;
  state.selected = new Set();
  endWalk();
  const side = byId("side").checked;
  byId("difference").checked = !side;
  state.shown = side ? stages().map((_, number) => number) : [Math.min(1, stages().length - 1)];
  showSteps();
  showColumns();
}

byId("program").append(...data.programs.map(program => element("option", "", program.name)));
byId("program").hidden = data.programs.length < 2;
byId("side").checked = data.sideBySide;
byId("program").addEventListener("change", showProgram);
byId("side").addEventListener("change", showProgram);
byId("unchanged").addEventListener("change", showSteps);
byId("difference").addEventListener("change", () => { endWalk(); showColumns(); });
document.addEventListener("keydown", event => {
  const forward = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (forward && walk && !event.altKey && !event.ctrlKey && !event.metaKey) step(forward);
  const by = {j: 1, k: -1}[event.key];
  if (by && !byId("side").checked && !event.ctrlKey && !event.metaKey) {
    show(Math.min(Math.max(state.shown[0] + by, 0), stages().length - 1));
  }
});
showProgram();
