// The panel about one tensor: its parts, the path of each of its axes, and what it lacks.
const MOST_STEPS = 8, MOST_LOSSES = 6;
const panel = document.getElementById("tensor");
let chosen = null;

function choose(value) {
  location.hash = `tensor=${value.number}`;
}

// The steps of a path, first one first, and its origin.
function pathOf(came) {
  const steps = [];
  for (; came >= 0; came = data.steps[came][4]) steps.push(data.steps[came]);
  return { origin: data.origins[~came], steps: steps.reverse() };
}

function operationLink(row) {
  const [name, line, place] = data.operations[row];
  const where = data.texts[place] || (line ? `line ${line}` : "");
  return lineLink(line, where ? `${name} (${where})` : name);
}

function pathItems({ origin: [value, how], steps }) {
  return [
    make("li", "", valueLink(values[value]), ` ${data.texts[how]}`),
    ...steps.map(([step, axis, operation, target]) => make("li", "",
      make("span", "faint", `step ${step}: `), axisChip(data.axes[axis]), " → ", valueLink(values[target]),
      " through ", operationLink(operation))),
  ];
}

function dimensionSections(value, paths) {
  let axis = 0;
  return value.sharding.dims.flatMap((dim, index) => dim.length === 0
    ? [make("h3", "", `Dimension ${index} is not sharded`)]
    : dim.flatMap(number => [
      make("h3", "", `Dimension ${index} has `, axisChip(data.axes[number])),
      folded(make("ol"), pathItems(paths[axis++]), MOST_STEPS, "steps"),
    ]));
}

function lossSection(value) {
  const losses = data.losses.filter(([mine]) => mine === value.number);
  if (!losses.length) return [];
  const items = losses.map(([, operation, other, label, text]) => make("li", "",
    "at ", operationLink(operation), `, ${data.texts[label]} `, valueLink(values[other]), ` ${data.texts[text]}`));
  return [make("h3", "", "What its neighbours have, and it has not"), folded(make("ul"), items, MOST_LOSSES, "neighbours")];
}

function showTensor(value) {
  chosen = value;
  const paths = value.came.map(pathOf);
  const lines = new Set([value.line]);
  for (const { origin, steps } of paths) {
    lines.add(values[origin[0]].line);
    for (const [, , operation, target] of steps) lines.add(data.operations[operation][1]).add(values[target].line);
  }
  const inText = value.written.text && value.written.text !== value.sharding.text ? `; in the text: ${value.written.text}` : "";
  const before = value.bytes === value.bytesBefore ? "" : `, before propagation ${inBytes(value.bytesBefore)}`;
  panel.replaceChildren(
    button("close", ["×"], () => { location.hash = ""; }),
    make("h2", "", value.name),
    make("p", "", value.type, " ", ...shardingChips(value.sharding)),
    make("p", "faint", `${value.sharding.text || "No sharding came to it: every device has all of it"}${inText}`),
    make("p", "", `${inBytes(value.bytes)} per device${before} `,
      ...(value.line ? [lineLink(value.line, `go to line ${value.line}`)] : [])),
    ...meshPicture(value), ...dimensionSections(value, paths), ...lossSection(value));
  panel.scrollTop = 0;
  mark(lines, value);
}

function showChosen() {
  const number = location.hash.match(/^#tensor=(\d+)$/)?.[1];
  if (values[number]) return showTensor(values[number]);
  chosen = null;
  panel.replaceChildren(make("p", "faint", "Choose a tensor: its path and its parts are shown here."));
  mark(new Set(), null);
}
