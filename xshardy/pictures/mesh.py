"""A picture of a mesh and of tensors that it divides: which device has which part."""

from collections.abc import Mapping
from math import prod

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.engines.distributed_tensor import DistributedTensor
from xshardy.svg import Drawing, width_of

CELL_WIDTH, CELL_HEIGHT = 34, 24
TENSOR = 190
"""The width and the height of a divided tensor."""
GAP = 44


def mesh_picture(mesh: MeshAttr, tensors: Mapping[str, DistributedTensor]) -> Drawing:
    """
    The devices of `mesh`, and below them each of `tensors` with the devices that have its parts.

    The last axis of the mesh goes from left to right, all others from top to bottom. A device has a hue by its place
    along the first axes, and a lightness along the last one; a part has the colour of its first device.
    """
    sizes = [*mesh.sizes.items()] or [("", 1)]
    columns = sizes[-1][1]
    rows = mesh.device_count // columns
    left = 20 + width_of(" x ".join(name for name, _ in sizes[:-1]), 12)
    mesh_height = 34 + rows * CELL_HEIGHT
    width = max(left + columns * CELL_WIDTH, len(tensors) * (TENSOR + GAP) - GAP) + 10
    drawing = Drawing(width, mesh_height + TENSOR + 80, "A mesh, and tensors divided along its axes")
    drawing.text(left + columns * CELL_WIDTH / 2, 14, f"{sizes[-1][0]} = {columns}", 12, "middle")
    drawing.text(0, 34 + rows * CELL_HEIGHT / 2, " x ".join(f"{name} = {size}" for name, size in sizes[:-1]), 12)
    colours = [_colour(place, rows, columns) for place in range(mesh.device_count)]
    ids = [device.data for device in mesh.device_ids] or range(mesh.device_count)
    of_device = dict(zip(ids, colours, strict=True))
    left = max(left, width_of(f"{sizes[0][0]} = {rows}", 12) + 16)
    for place, device in enumerate(ids):
        x, y = left + place % columns * CELL_WIDTH, 24 + place // columns * CELL_HEIGHT
        drawing.rect(x + 1, y + 1, CELL_WIDTH - 2, CELL_HEIGHT - 2, of_device[device], rx=4)
        drawing.text(x + CELL_WIDTH / 2, y + 16, str(device), 11, "middle")
    for number, (name, tensor) in enumerate(tensors.items()):
        _draw_tensor(drawing, number * (TENSOR + GAP), mesh_height + 40, name, tensor, of_device)
    return drawing


def _draw_tensor(
    drawing: Drawing, left: float, top: float, name: str, tensor: DistributedTensor, colours: Mapping[int, str]
) -> None:
    """A tensor: its last divided dimension goes from left to right, all others from top to bottom."""
    counts = tensor.part_numbers
    divided = [dim for dim, count in enumerate(counts) if count > 1]
    across = divided[-1] if divided and divided[-1] == len(counts) - 1 else None
    columns = counts[across] if across is not None else 1
    rows = max(1, prod(counts) // columns)
    parts: dict[tuple[int, int], list[int]] = {}
    for device, index in enumerate(tensor.part_indices):
        row = 0
        for dim, place in enumerate(index):
            row = row if dim == across else row * counts[dim] + place
        parts.setdefault((row, index[across] if across is not None else 0), []).append(device)
    width, height = TENSOR / columns, TENSOR / rows
    for (row, column), devices in parts.items():
        x, y = left + column * width, top + row * height
        drawing.rect(x, y, width, height, colours[devices[0]], stroke="currentColor", stroke_width=0.7)
        label = _label(devices, int(width / width_of("0", 10)) - 1)
        drawing.text(x + width / 2, y + height / 2 + 4, label, 10, "middle")
    axes = ", ".join("{" + ", ".join(f'"{axis}"' for axis in of_dim) + "}" for of_dim in tensor.axes)
    drawing.text(left, top - 18, f"{name}: {'x'.join(map(str, tensor.shape))}", 12, font_weight="bold")
    drawing.text(left, top - 4, f"[{axes}]", 11)
    drawing.text(left, top + TENSOR + 16, f"a part: {'x'.join(map(str, tensor.local_shape))}", 11)


def _label(devices: list[int], most: int) -> str:
    """The devices of a part: as many as `most` characters name, or how many there are."""
    listed = " ".join(map(str, devices))
    if len(listed) <= most:
        return listed
    return f"{len(devices)} devices" if most >= 9 + len(str(len(devices))) else str(devices[0]) if most else ""


def _colour(place: int, rows: int, columns: int) -> str:
    """A colour in which black and white texts are readable."""
    row, column = divmod(place, columns)
    return f"hsl({360 * row / rows:.0f} 55% 50% / {0.2 + 0.5 * column / max(columns - 1, 1):.2f})"
