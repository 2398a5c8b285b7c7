"use strict";

/** How many lines are shown around those that a step changes. */
const AROUND = 8;

/** How many lines a column shows at first: a step may change thousands. */
const MOST_SHOWN = 400;

/** The steps that are walked through: those of a stage, where the walk is, and the tree there. `null`: none are. */
let walk = null;

/** The steps of a stage, read and decompressed when they are first looked at. */
async function stepsOf(stage) {
  if (stage.steps && !stage.steps.data) {
    const bytes = Uint8Array.from(atob(stage.steps.text), each => each.charCodeAt(0));
    const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    stage.steps.data = await new Response(text).json();
  }
  return stage.steps?.data;
}

const hasSteps = stage => Boolean(stage?.steps?.count);

/** Walk through the steps of stage `number`, and show step `at`, from 0 on. */
async function walkThrough(number, at) {
  const stage = stages()[number], steps = await stepsOf(stage);
  if (walk?.stage !== stage) {
    const tree = new Tree(steps.templates);
    for (const edit of steps.start) tree.apply(edit);
    walk = {stage, steps, tree, at: 0, undo: []};
  }
  state.shown = [number];
  goTo(Math.min(Math.max(at, 0), steps.steps.length - 1));
  showSteps();
}

/** Move the tree to where it is before step `at`, and show the step. */
function goTo(at) {
  const {tree, steps, undo} = walk;
  for (; walk.at > at; --walk.at) for (const back of undo.pop()) back();
  for (; walk.at < at; ++walk.at) undo.push(make(tree, steps.steps[walk.at][1]));
  const before = [...tree.lines()];
  const back = make(tree, steps.steps[at][1]);
  const after = [...tree.lines()];
  for (const each of back) each();
  showStep(before, after);
}

/** Make edits, and give what takes them back, in that order. */
const make = (tree, edits) => edits.map(edit => tree.apply(edit)).reverse();

/** The step of the walk in two columns: what is gone or other in the first, what is new or other in the second. */
function showStep(before, after) {
  const [pattern, edits] = walk.steps.steps[walk.at];
  const [old, now] = [before, after].map(lines => new Set(lines.map(([op]) => op)));
  const changed = new Set(edits.filter(edit => [3, 4].includes(edit.length)).map(edit => edit[0]));
  byId("walk").hidden = false;
  byId("walk").replaceChildren(...walkNodes(walk.stage.steps.patterns[pattern]));
  byId("columns").replaceChildren(
    treeColumn("before", before, op => (!now.has(op) || changed.has(op)) && "removed"),
    treeColumn("after", after, op => (!old.has(op) || changed.has(op)) && "added"),
  );
  for (const column of document.querySelectorAll(".column")) {
    const row = column.querySelector(".added, .removed");
    if (row) scrollColumn(column, row);
  }
}

/** The buttons, the pattern with its line, what did not apply, and whose an operation is that was clicked. */
function* walkNodes({name, summary, place}) {
  const count = walk.steps.steps.length;
  yield button("◀", "step back", () => step(-1));
  yield element("span", "position", `step ${walk.at + 1} of ${count}`);
  yield button("▶", "step forward", () => step(1));
  yield element("strong", "", name);
  yield element("span", "place", place);
  yield element("span", "summary", summary);
  yield button("whole pass", "the difference that the pass makes", () => show(state.shown[0]));
  if (walk.steps.kept.length) yield keptNode();
  const maker = element("span", "maker");
  maker.id = "maker";
  yield maker;
}

function button(text, title, act) {
  const made = element("button", "", text);
  made.title = title;
  made.addEventListener("click", act);
  return made;
}

/** Why patterns left operations as they are. */
function keptNode() {
  const {kept} = walk.steps;
  const rows = kept.map(([pattern, op, reason]) => {
    const {name} = walk.stage.steps.patterns[pattern], text = walk.tree.ops.get(op)?.text;
    return element("li", "", `${name}: ${reason}`, element("code", "", text ? walk.tree.parts(text).join(" … ") : ""));
  });
  return element("details", "kept", element("summary", "", `${kept.length} did not apply`), element("ul", "", ...rows));
}

function treeColumn(title, lines, kindOf) {
  const kinds = lines.map(([op]) => kindOf(op) || "");
  const near = lines.map(() => false);
  let first = -1;
  for (const [line, kind] of kinds.entries()) {
    if (!kind) continue;
    if (first < 0) first = line;
    if (line > first + MOST_SHOWN) break;
    near.fill(true, Math.max(0, line - AROUND), line + AROUND + 1);
  }
  const code = element("div", "code");
  for (let line = 0; line < lines.length;) {
    const end = near.indexOf(true, line);
    if (near[line]) code.append(treeRow(...lines[line], line++, kinds));
    else code.append(foldRow(lines, line, line = end < 0 ? lines.length : end, kinds));
  }
  return element("section", "column", element("h2", "", `${walk.stage.name}: ${title}`), code);
}

/** A row that stands for lines far from a change, and that a click replaces by them. */
function foldRow(lines, start, end, kinds) {
  const unfold = () => row.replaceWith(...lines.slice(start, end).map(([op, text], at) => treeRow(op, text, start + at, kinds)));
  const row = element("div", "row fold", button(`${end - start} lines`, "show them", unfold));
  return row;
}

function treeRow(op, text, line, kinds) {
  const sign = {added: "+", removed: "−"}[kinds[line]] ?? "";
  const row = element("div", `row source ${kinds[line]}`, element("span", "number", `${sign}${line + 1}`));
  row.append(element("span", "text", ...highlighted(text)));
  row.refresh = () => {};
  row.tabIndex = 0;
  const choose = () => showMaker(op);
  row.addEventListener("click", () => { if (getSelection().isCollapsed) choose(); });
  row.addEventListener("keydown", event => { if (event.key === "Enter") choose(); });
  return row;
}

/** Say which pattern made an operation, with a button that goes there. */
async function showMaker(op) {
  const made = stages().findLastIndex(stage => stage.steps && stage.steps.first <= op), maker = byId("maker");
  if (made < 0) return maker.replaceChildren("is in the input");
  const stage = stages()[made], {steps} = await stepsOf(stage);
  const number = steps.findIndex(([, edits]) => edits.some(edit => edit.length === 4 && edit[0] === op));
  const {name} = stage.steps.patterns[steps[number][0]];
  const go = button(`${name}, step ${number + 1} of ${stage.name}`, "go there", () => walkThrough(made, number));
  maker.replaceChildren("made by ", go);
}

/** One step forward or back; past the ends of a pass, to the next one that has steps. */
function step(by) {
  const number = state.shown[0], at = walk.at + by;
  if (at >= 0 && at < walk.steps.steps.length) return walkThrough(number, at);
  const all = stages();
  for (let next = number + by; next > 0 && next < all.length; next += by) {
    if (hasSteps(all[next])) return walkThrough(next, by > 0 ? 0 : all[next].steps.count - 1);
  }
}

/** Show whole stages again. */
function endWalk() {
  walk = null;
  byId("walk").hidden = true;
}
