// The text of the program with the sharding of each value. Lines become elements when they are scrolled to.
const LINES_OF_BLOCK = 50, LINE_HEIGHT = 20, LONG_LINE = 1200, SHOWN_OF_LONG = 400, MOST_CHIPS = 8;
const programView = make("section", "program");
programView.id = "program";
const blocks = [];
let markedLines = new Set();

const nearby = new IntersectionObserver(entries => {
  for (const entry of entries) if (entry.isIntersecting) fill(blocks[entry.target.dataset.block]);
}, { rootMargin: "1000px" });

// Lines are counted from 1; `last` is the line after the last one.
function addLines(parent, first, last) {
  for (let start = first; start < last; start += LINES_OF_BLOCK) {
    const element = make("div", "block"), end = Math.min(start + LINES_OF_BLOCK, last);
    element.style.containIntrinsicSize = `auto ${(end - start) * LINE_HEIGHT}px`;
    element.dataset.block = blocks.length;
    blocks.push({ first: start, last: end, element, rows: null });
    parent.append(element);
    nearby.observe(element);
  }
}

function fill(block) {
  if (block.rows) return;
  block.rows = [];
  for (let line = block.first; line < block.last; line++) block.rows.push(row(line));
  block.element.append(...block.rows);
}

function row(line) {
  const text = data.lines[line - 1], element = make("div", "row", make("span", "number", `${line}`));
  element.classList.toggle("marked", markedLines.has(line));
  if (text.length > LONG_LINE) {
    const more = button("", [`… ${text.length - SHOWN_OF_LONG} more characters`], () => more.replaceWith(text.slice(SHOWN_OF_LONG)));
    element.append(text.slice(0, SHOWN_OF_LONG), more);
  } else {
    element.append(text);
  }
  // Copies of a function, one for each call, have one chip where they are sharded alike.
  const alike = grouped(valuesOfLine.get(line) ?? [], value => `${chipName(value)} ${value.sharding.text}`);
  const chips = [...alike.values()].map(copies => {
    const [value] = copies, times = copies.length > 1 ? ` × ${copies.length}` : "";
    const chip = button("", [chipName(value), " ", ...shardingChips(value.sharding), times], () => choose(value));
    chip.dataset.value = value.number;
    chip.classList.toggle("chosen", value === chosen);
    return chip;
  });
  if (chips.length > MOST_CHIPS) {
    const more = button("", [`${chips.length - MOST_CHIPS} more`], () => more.replaceWith(...chips.slice(MOST_CHIPS)));
    element.append(...chips.slice(0, MOST_CHIPS), more);
  } else {
    element.append(...chips);
  }
  element.append(...collectiveBadges(line));
  return element;
}

// `%44 (line 116)` -> `%44`: the line is where the chip stands.
function chipName(value) {
  return value.name.match(/^%\S+/)?.[0] ?? value.name.replace(/ \(line \d+\)/, "");
}

// What repeats is folded: the first copy is shown.
const foldedLines = data.folds.map(([start, period, copies]) => {
  const first = start + period + 1, last = start + period * copies + 1;
  const element = make("details", "fold", make("summary", "",
    `${copies - 1} more times the ${period} lines above, sharded alike: lines ${first} to ${last - 1}`));
  const open = () => { if (element.children.length === 1) addLines(element, first, last); };
  element.ontoggle = () => { if (element.open) open(); };
  return { first, last, element, open };
});
{
  let next = data.first;
  for (const fold of foldedLines) {
    addLines(programView, next, fold.first);
    programView.append(fold.element);
    next = fold.last;
  }
  addLines(programView, next, data.lines.length + 1);
}

function rowOf(line) {
  const block = blocks.find(block => block.first <= line && line < block.last);
  if (!block) return null;
  fill(block);
  return block.rows[line - block.first];
}

function goToLine(line) {
  showView("Program");
  for (const fold of foldedLines) {
    if (fold.first <= line && line < fold.last) {
      fold.open();
      fold.element.open = true;
    }
  }
  document.querySelector(".goal")?.classList.remove("goal");
  const goal = rowOf(line);
  goal.classList.add("goal");
  goal.scrollIntoView({ block: "center" });
}

function lineLink(line, text) {
  return line ? button("link", [text], () => goToLine(line)) : text;
}

// Marks the lines of a path, and the chips of its tensor.
function mark(lines, value) {
  markedLines = lines;
  for (const { rows, first } of blocks) rows?.forEach((row, index) => row.classList.toggle("marked", lines.has(first + index)));
  document.querySelectorAll("#program .chosen").forEach(chip => chip.classList.remove("chosen"));
  document.querySelectorAll(`#program [data-value="${value?.number}"]`).forEach(chip => chip.classList.add("chosen"));
}
