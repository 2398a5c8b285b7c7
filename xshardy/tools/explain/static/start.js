// The header, the views and the first paint.
const views = new Map([["Program", () => programView], ["Arguments and results", argumentsView], ["Source lines", sourcesView],
  ["Collectives", collectivesView], ["Found", () => foundView]]);
const tabs = new Map();
const hasNoTab = new Set(["Found"]);
if (!values.some(value => value.place)) hasNoTab.add("Source lines");
if (!data.is_planned) hasNoTab.add("Collectives");

// Shows one view; a view is made when it is shown first.
function showView(name) {
  const made = views.get(name)();
  views.set(name, () => made);
  document.getElementById("views").replaceChildren(made);
  for (const [other, tab] of tabs) tab.ariaSelected = other === name;
}

for (const name of views.keys()) {
  if (hasNoTab.has(name)) continue;
  const tab = button("", [name], () => showView(name));
  tabs.set(name, tab);
  document.getElementById("tabs").append(tab);
}
for (const [axes] of data.meshes) {
  document.getElementById("legend").append(...axes.flatMap(([name, size]) => [axisChip([name, ""]), ` ${size} `]));
}
document.getElementById("summary").textContent = `${data.lines.length + 1 - data.first} lines, ${values.length} tensors`;
searchField.oninput = () => {
  clearTimeout(searchField.timer);
  searchField.timer = setTimeout(() => search(searchField.value), 150);
};
window.onhashchange = showChosen;
showView("Program");
showChosen();
