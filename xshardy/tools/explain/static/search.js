// The search: tensors by name, place and type, and lines by their text.
const MOST_FOUND = 100;
const searchField = document.getElementById("search");
const foundView = make("section");

function search(text) {
  searchField.value = text;
  const query = text.trim().toLowerCase();
  if (!query) return showView("Program");
  const score = name => name === query ? 0 : name.startsWith(`${query} `) ? 1 : name.startsWith(query) ? 2 : name.includes(query) ? 3 : 4;
  const tensors = values.map(value => ({ value, score: score(value.name.toLowerCase()) }))
    .filter(({ value, score }) => score < 4 || value.place.toLowerCase() === query || value.type.toLowerCase().includes(query))
    .sort((a, b) => a.score - b.score || a.value.number - b.value.number);
  const lines = data.lines.map((line, index) => index + 1)
    .filter(line => data.lines[line - 1].toLowerCase().includes(query) || query === `line ${line}`);
  foundView.replaceChildren(
    make("h3", "", counted(tensors.length, "tensor")),
    make("ul", "", ...tensors.slice(0, MOST_FOUND).map(({ value }) =>
      make("li", "", valueLink(value), " ", ...shardingChips(value.sharding), make("span", "faint", ` ${value.type}`)))),
    make("h3", "", counted(lines.length, "line")),
    make("ul", "", ...lines.slice(0, MOST_FOUND).map(line =>
      make("li", "", lineLink(line, `${line}`), make("code", "", ` ${data.lines[line - 1].trim().slice(0, 200)}`)))));
  showView("Found");
}

function counted(count, what) {
  return `${count} ${what}${count === 1 ? "" : "s"}${count > MOST_FOUND ? `, the first ${MOST_FOUND}` : ""}`;
}
