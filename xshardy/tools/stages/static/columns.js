"use strict";

/** The rows of a stage: its lines, and with `before` also those that the step removed, at their places. */
function* rowsOf(stage, before) {
  const added = new Set(), removed = new Map();
  for (const [a, b, c, d] of before ? stage.changes : []) {
    for (let line = c; line < d; ++line) added.add(line);
    removed.set(c, [a, b]);
  }
  for (let line = 0; line <= stage.lines.length; ++line) {
    const [a, b] = removed.get(line) ?? [0, 0];
    for (let old = a; old < b; ++old) yield [before, old, "removed"];
    if (line < stage.lines.length) yield [stage, line, added.has(line) ? "added" : ""];
  }
}

function rowElement(stage, line, kind) {
  const sign = {added: "+", removed: "−"}[kind] ?? "";
  const row = element("div", `row ${kind}`, element("span", "number", `${sign}${line + 1}`));
  row.append(element("span", "text", ...highlighted(text(stage, line))));
  row.refresh = () => row.classList.toggle("marked", isSelected(stage, line));
  row.refresh();
  if (sets[stage.sources[line]].size) {
    row.classList.add("source");
    row.tabIndex = 0;
    const choose = () => select(sets[stage.sources[line]], row);
    row.addEventListener("click", () => { if (getSelection().isCollapsed) choose(); });
    row.addEventListener("keydown", event => { if (event.key === "Enter") choose(); });
  }
  return row;
}

function columnElement(number) {
  const stage = stages()[number];
  const before = byId("difference").checked && number > 1 ? stages()[number - 1] : null;
  const code = element("div", "code");
  for (const row of rowsOf(stage, before)) code.append(rowElement(...row));
  const column = element("section", "column", element("h2", "", stage.name), code);
  column.dataset.stage = stage.name;
  column.stage = stage;
  return column;
}

function showColumns() {
  byId("columns").replaceChildren(...state.shown.map(columnElement));
  scrollToMarked(null);
  if (!state.selected.size) scrollToSource();
}

/** Bring the first line of the source that the program comes from into view: a module has many kernels. */
function scrollToSource() {
  const first = Math.min(...data.programs[state.program].stages.slice(0, 1).flatMap(stage => stage.sources.flatMap(set => [...sets[set]])));
  const column = [...document.querySelectorAll(".column")].find(each => each.stage === data.source);
  if (column && first < Infinity) scrollColumn(column, column.querySelectorAll(".row")[first - 1]);
}

/** Scroll `column` so that `row` is in its upper third. */
function scrollColumn(column, row) {
  const code = column.querySelector(".code");
  code.scrollTop = row.offsetTop - code.offsetTop - code.clientHeight / 3;
}

/** Bring the first marked row of each column into view, but not in the column of `except`. */
function scrollToMarked(except) {
  for (const column of document.querySelectorAll(".column")) {
    const row = column.querySelector(".row.marked");
    if (row && !column.contains(except)) scrollColumn(column, row);
  }
}
