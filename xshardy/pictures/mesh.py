"""A picture of a mesh and of tensors that it divides: which device has which part."""

from collections.abc import Mapping
from functools import reduce
from itertools import islice
from math import prod

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.display.svg import Drawing, width_of
from xshardy.programs.distributed_tensor import DistributedTensor

CELL_WIDTH, CELL_HEIGHT = 34, 24
TENSOR = 190
"""The width and the height of a divided tensor."""
GAP = 44
MOST_DEVICES = 512
MOST_TENSORS = 8


def mesh_picture(mesh: MeshAttr, tensors: Mapping[str, DistributedTensor]) -> Drawing:
    """
    The devices of `mesh`, and below them each of `tensors` with the devices that have its parts.

    The last axis of the mesh goes from left to right, all others from top to bottom. A device has a hue by its place
    along the first axes, and a lightness along the last one; a part has the colour of its first device. Only the first
    `MOST_TENSORS` are drawn. Raises `ValueError` for more than `MOST_DEVICES` devices.
    """
    if mesh.device_count > MOST_DEVICES:
        raise ValueError(f"the mesh has {mesh.device_count} devices: a picture shows at most {MOST_DEVICES}")
    *others, (last, columns) = [*mesh.sizes.items()] or [("", 1)]
    rows = mesh.device_count // columns
    down = " x ".join(f"{name} = {size}" for name, size in others)
    left = width_of(down) + 16
    mesh_height = 34 + rows * CELL_HEIGHT
    shown = dict(islice(tensors.items(), MOST_TENSORS))
    width = max(left + columns * CELL_WIDTH, len(shown) * (TENSOR + GAP) - GAP) + 10
    drawing = Drawing(width, mesh_height + TENSOR + 80, "A mesh, and tensors divided along its axes")
    drawing.text(left + columns * CELL_WIDTH / 2, 14, f"{last} = {columns}", 12, "middle")
    drawing.text(0, 34 + rows * CELL_HEIGHT / 2, down)
    ids = [device.data for device in mesh.device_ids] or range(mesh.device_count)
    of_device = {device: _colour(place, rows, columns) for place, device in enumerate(ids)}
    for place, device in enumerate(ids):
        x, y = left + place % columns * CELL_WIDTH, 24 + place // columns * CELL_HEIGHT
        drawing.rect(x + 1, y + 1, CELL_WIDTH - 2, CELL_HEIGHT - 2, of_device[device], rx=4)
        drawing.text(x + CELL_WIDTH / 2, y + 16, str(device), 11, "middle")
    for number, (name, tensor) in enumerate(shown.items()):
        _draw_tensor(drawing, number * (TENSOR + GAP), mesh_height + 40, name, tensor, of_device)
    return drawing


def _draw_tensor(
    drawing: Drawing, left: float, top: float, name: str, tensor: DistributedTensor, colours: Mapping[int, str]
) -> None:
    """A tensor: its last dimension goes from left to right, all others from top to bottom."""
    counts = tensor.part_numbers or (1,)
    *downwards, columns = counts
    rows = prod(downwards)
    parts: dict[tuple[int, int], list[int]] = {}
    for device, index in enumerate(tensor.part_indices):
        *places, column = index or (0,)
        row = reduce(lambda row, at: row * at[1] + at[0], zip(places, downwards, strict=True), 0)
        parts.setdefault((row, column), []).append(device)
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
    return f"{len(devices)} devices" if most >= 9 + len(str(len(devices))) else str(devices[0]) if most > 0 else ""


def _colour(place: int, rows: int, columns: int) -> str:
    """A colour in which black and white texts are readable."""
    row, column = divmod(place, columns)
    return f"hsl({360 * row / rows:.0f} 55% 50% / {0.2 + 0.5 * column / max(columns - 1, 1):.2f})"
