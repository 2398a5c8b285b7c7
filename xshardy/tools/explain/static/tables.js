// Tables that sort when the title of a column is clicked.

// A column has a title, `of(row)`, by which it sorts, and perhaps `show(row)`, the nodes of a cell. Columns of class
// "number" start with the largest.
function sortable(columns, rows, sortedBy = null) {
  const body = make("tbody");
  const heads = columns.map(column => {
    const head = make("th", column.className, button("", [column.title], () => sort(column, head)));
    return head;
  });
  function sort(column, head) {
    const isDown = head.ariaSort ? head.ariaSort === "ascending" : column.className === "number";
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.ariaSort = isDown ? "descending" : "ascending";
    const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
    rows.sort((a, b) => (isDown ? -1 : 1) * compare(column.of(a), column.of(b)));
    fillBody();
  }
  function fillBody() {
    body.replaceChildren(...rows.map(row => make("tr", "", ...columns.map(column =>
      make("td", column.className, ...(column.show ? column.show(row) : [`${column.of(row)}`]))))));
  }
  fillBody();
  if (sortedBy !== null) sort(columns[sortedBy], heads[sortedBy]);
  return make("div", "scroll", make("table", "", make("thead", "", make("tr", "", ...heads)), body));
}

// The sum of `key`, bytes that are -1 where they are unknown.
function sumOf(some, key) {
  return some.reduce((total, value) => total + Math.max(0, value[key]), 0);
}

function argumentsView() {
  const rows = [...data.arguments, ...data.results].map((number, order) => ({ order, ...values[number] }));
  const sum = (numbers, key) => inBytes(sumOf(numbers.map(number => values[number]), key));
  const replicated = rows.filter(isReplicated);
  return make("section", "",
    make("p", "", `Arguments: ${sum(data.arguments, "bytes")} per device, before propagation ` +
      `${sum(data.arguments, "bytesBefore")}. Results: ${sum(data.results, "bytes")} per device. ` +
      `${replicated.length} of ${rows.length} are replicated, ${inBytes(sumOf(replicated, "bytes"))}.`),
    sortable([
      { title: "tensor", of: row => row.order, show: row => [valueLink(values[row.number])] },
      { title: "type", of: row => row.type },
      { title: "sharding", of: row => row.sharding.text, show: row => shardingChips(row.sharding) },
      { title: "replicated", of: row => isReplicated(row) ? "replicated" : "" },
      { title: "per device", className: "number", of: row => row.bytes, show: row => [inBytes(row.bytes)] },
      { title: "before", className: "number", of: row => row.bytesBefore, show: row => [inBytes(row.bytesBefore)] },
    ], rows));
}

// The tensors by the line of the user's program that makes them.
function sourcesView() {
  const sources = [...grouped(values.filter(value => value.place), value => value.place)].map(([place, made]) => ({
    place,
    tensors: made.length,
    replicated: made.filter(value => isReplicated(value) && value.shape.length).length,
    bytes: sumOf(made, "bytes"),
  }));
  return make("section", "", sortable([
    { title: "source line", of: row => row.place.replace(/\d+$/, line => line.padStart(8, "0")),
      show: row => [button("link", [row.place], () => search(row.place))] },
    { title: "tensors", className: "number", of: row => row.tensors },
    { title: "replicated, scalars aside", className: "number", of: row => row.replicated },
    { title: "bytes per device", className: "number", of: row => row.bytes, show: row => [inBytes(row.bytes)] },
  ], sources, 3));
}
