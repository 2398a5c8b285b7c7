"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const sets = data.sets.map(lines => new Set(lines));

/** What is shown: the program, the stages by number (0 is the source), and the selected lines of the source. */
const state = {program: 0, shown: [], selected: new Set()};

const byId = id => document.getElementById(id);

/** A new element with a class, text and children. */
function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

const stages = () => [data.source, ...data.programs[state.program].stages];

const text = (stage, line) => data.texts[stage.lines[line]];

const isSelected = (stage, line) => {
  const sources = sets[stage.sources[line]];
  for (const number of state.selected) if (sources.has(number)) return true;
  return false;
};

/** The lines of `stage` that come from the selected ones. */
const linked = stage => state.selected.size ? stage.lines.map((_, line) => line).filter(line => isSelected(stage, line)) : [];
