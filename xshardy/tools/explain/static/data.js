// The data of the page, and what all of its parts need. For the rows, see page_data.py.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const values = data.values.map(([name, line, place, type, sharding, written, bytes, bytesBefore, came], number) => ({
  number, name, line, type: data.types[type][0], shape: data.types[type][1], place: data.texts[place],
  sharding: shardingOf(sharding), written: shardingOf(written), bytes, bytesBefore, came,
}));
const valuesOfLine = grouped(values, value => value.line);

// The items by key.
function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  }
  return groups;
}

function shardingOf(row) {
  const [text, mesh, dims, parts] = data.shardings[row];
  return { text, mesh: data.meshes[mesh], dims, parts: parts.map(part => data.parts[part]) };
}

function isReplicated(value) {
  return value.sharding.dims.every(dim => dim.length === 0);
}

// `make("a", "link", "text", element)`: an element of a class with these children.
function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

function button(className, children, onclick) {
  const element = make("button", className, ...children);
  element.onclick = onclick;
  return element;
}

const meshAxes = [...new Set(data.meshes.flatMap(([axes]) => axes.map(([name]) => name)))];

function axisChip([name, part]) {
  const chip = make("span", "axis", name + part);
  chip.style.background = `hsl(${meshAxes.indexOf(name) * 360 / meshAxes.length + 210} 60% var(--chip))`;
  return chip;
}

// `[data, -]`: the axes of each dimension, as nodes.
function shardingChips(sharding) {
  if (!sharding.text) return ["not sharded"];
  const dims = sharding.dims.map(dim => dim.length ? dim.map(axis => axisChip(data.axes[axis])) : ["-"]);
  return ["[", ...dims.flatMap((dim, index) => index ? [", ", ...dim] : dim), "]"];
}

function valueLink(value) {
  return button("link", [value.name], () => choose(value));
}

// `1536` -> `1.5 KiB`; -1 is unknown.
function inBytes(count) {
  if (count < 0) return "-";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; count >= 1024 && unit < units.length - 1; unit++) count /= 1024;
  return `${Number.isInteger(count) ? count : count.toFixed(1)} ${units[unit]}`;
}

// All of `items`, the middle ones inside of a fold if there are more than `most`.
function folded(list, items, most, what) {
  if (items.length <= most + 2) {
    list.append(...items);
    return list;
  }
  const first = Math.ceil(most / 2), last = items.length - Math.floor(most / 2);
  const fold = make("details", "", make("summary", "faint", `${last - first} more ${what}`));
  fold.ontoggle = () => { if (fold.children.length === 1) fold.append(...items.slice(first, last)); };
  list.append(...items.slice(0, first), make("li", "", fold), ...items.slice(last));
  return list;
}
