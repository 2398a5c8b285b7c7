"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
const MEANINGS = {
  whole: "all of a value of the whole program", part: "a part of one", partial: "a part of a sum or the like",
  padded: "in some elements, as where it is padded", unrelated: "not related to the whole program",
};

function element(name, className, ...children) {
  const made = document.createElement(name);
  made.className = className;
  made.append(...children);
  return made;
}

/** A row for a line; `kind` is that of its values, for a line of the program of each device. */
function row([text, operations], number, kind) {
  const cells = [element("span", "number", `${number + 1}`), element("span", "text", text)];
  const made = element(kind ? "button" : "div", `row ${kind}`, ...cells);
  made.operations = operations;
  return made;
}

/** Mark the line `chosen` and those of the whole program that it has elements of. */
function choose(chosen, relation) {
  for (const each of document.querySelectorAll(".marked")) each.classList.remove("marked");
  const rows = [...byId("whole").children].filter(each => each.operations.some(op => relation.of.includes(op)));
  for (const each of [chosen, ...rows]) each.classList.add("marked");
  if (rows.length) byId("whole").scrollTop = rows[0].offsetTop - byId("whole").clientHeight / 3;
  byId("said").textContent = `${MEANINGS[relation.kind]}\n${relation.text}`;
}

byId("verdict").textContent = data.verdict.join("\n");
byId("verdict").classList.add({proved: "whole", refuted: "unrelated", undecided: "partial"}[data.answer]);
byId("legend").append(...Object.entries(MEANINGS).map(([kind, meaning]) => element("span", kind, `■ ${meaning}`)));
byId("whole").append(...data.whole.map((line, number) => row(line, number, "")));
byId("local").append(...data.local.map((line, number) => {
  const relation = line[1].map(op => data.relations[op]).find(Boolean);
  const made = row(line, number, relation ? relation.kind : "");
  if (relation) made.addEventListener("click", () => choose(made, relation));
  return made;
}));
