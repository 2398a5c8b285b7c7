// The mesh as a picture: a cell for each device, with the part of the tensor that it holds. Equal parts have one colour.
const MOST_LABELLED = 64;

function meshPicture(value) {
  const { mesh, parts, dims } = value.sharding;
  if (!mesh || !mesh[1].length || parts.some(part => !part.length)) return [];
  const [axes, devices] = mesh;
  const sharded = dims.map((dim, index) => index).filter(index => dims[index].length);
  const counts = parts.map(part => Math.max(...part) + 1);
  const total = sharded.reduce((product, dim) => product * counts[dim], 1);
  // The first half of the axes goes down, the rest to the right.
  const down = axes.slice(0, Math.floor(axes.length / 2)), right = axes.slice(down.length);
  const columns = right.reduce((product, [, size]) => product * size, 1);
  const grid = make("div", "mesh");
  grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
  for (const device of devices) {
    const number = sharded.reduce((number, dim) => number * counts[dim] + parts[dim][device], 0);
    const slices = value.shape.map((extent, dim) => slice(extent, counts[dim], parts[dim][device]));
    const text = `device ${device}: [${slices.join(", ")}]`;
    const cell = make("div", "", ...(devices.length > MOST_LABELLED ? [] : [`${device}`, make("br"), slices.join(", ")]));
    cell.title = text;
    cell.style.setProperty("--hue", 360 * number / total);
    grid.append(cell);
  }
  const named = some => some.map(([name, size]) => `${name} (${size})`).join(", ");
  const caption = `${total === 1 ? "Every device has all of it" : `${total} parts`} on ${devices.length} devices; ` +
    `${down.length ? `down: ${named(down)}; ` : ""}to the right: ${named(right)}`;
  return [make("h3", "", "Which device has which part"), make("p", "faint", caption), grid];
}

// The elements of part `index` of `count` along a dimension; the last parts may be short, or padding only.
function slice(extent, count, index) {
  if (count === 1) return ":";
  const size = Math.ceil(extent / count), start = index * size;
  return start < extent ? `${start}:${Math.min(start + size, extent)}` : "padding";
}
