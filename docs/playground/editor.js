"use strict";
// A text area under which the same text is shown in colours. highlight.js has the colours, and needs `element`.

function element(tag, className, ...children) {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
}

const text = document.getElementById("text");
const shown = document.getElementById("shown");
const numbers = document.getElementById("lines");

/** Show the text in colours, its lines numbered; those with diagnostics are marked: {line: severity}. */
function show(marks = {}) {
  const lines = text.value.split("\n");
  shown.replaceChildren(...lines.map((line, index) =>
    element("div", marks[index + 1] ?? "", ...highlighted(line), line ? "" : "\u200b")));
  numbers.replaceChildren(...lines.map((_, index) => element("div", marks[index + 1] ?? "", String(index + 1))));
  follow();
}

function follow() {
  shown.style.transform = `translate(${-text.scrollLeft}px, ${-text.scrollTop}px)`;
  numbers.style.transform = `translateY(${-text.scrollTop}px)`;
}
text.addEventListener("scroll", follow);

/** Put the cursor at a line and a column, both counted from 1. */
function goTo(line, column) {
  const before = text.value.split("\n").slice(0, line - 1);
  const start = before.reduce((length, each) => length + each.length + 1, 0) + (column ?? 1) - 1;
  text.focus();
  text.setSelectionRange(start, start);
  text.scrollTop = Math.max(0, (line - 5) * shown.firstChild.offsetHeight);
}
