"""Random functions of one operation each, whose operands and results are sharded without regard to each other."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from math import prod

MESHES = """sdy.mesh @mesh = <["a"=2, "b"=4, "c"=3, "one"=1]>
sdy.mesh @turned = <["a"=2, "b"=4, "c"=3, "one"=1], device_ids=[{devices}]>
sdy.mesh @other = <["x"=2]>
"""

PARTS = {
    "a": ('"a"',),
    "b": ('"b"', '"b"', '"b":(1)2', '"b":(2)2'),
    "c": ('"c"',),
    "one": ('"one"',),
}
"""The axes of the mesh, whole and in part."""

Shape = Sequence[int]


@dataclass
class Draw:
    """Draws shapes and shardings, and writes functions."""

    choose: random.Random

    def sharding(self, shape: Shape) -> str:
        """A sharding of a tensor of this shape, without brackets."""
        if self.choose.random() < 0.03:
            return f"<@other, [{', '.join(['{}'] * len(shape))}]>"
        axes = [self.choose.choice(PARTS[name]) for name in self.choose.sample(list(PARTS), len(PARTS))]
        dims: list[str] = []
        for _ in shape:
            taken = [axes.pop() for _ in range(self.choose.choice((0, 0, 1, 1, 2))) if axes]
            dims.append(f"{{{', '.join(taken)}}}")
        mesh = self.choose.choice(("mesh", "mesh", "mesh", "mesh", "turned"))
        return f"<@{mesh}, [{', '.join(dims)}]>"

    def argument(self, name: str, shape: Shape, element: str = "f32") -> str:
        note = f" {{sdy.sharding = #sdy.sharding{self.sharding(shape)}}}" if self.choose.random() < 0.8 else ""
        return f"%{name}: {tensor(shape, element)}{note}"

    def note(self, *shapes: Shape) -> str:
        """The shardings of the results of an operation, or none."""
        if self.choose.random() < 0.15:
            return ""
        return f"{{sdy.sharding = #sdy.sharding_per_value<[{', '.join(map(self.sharding, shapes))}]>}}"

    def size(self) -> int:
        return self.choose.choice((1, 3, 4, 6, 8, 12, 16, 24, 32))

    def function(self, name: str, operands: Sequence[Shape], result: Shape, op: str) -> str:
        """A function of `op`, in which `NOTE` stands for its shardings, and `%0`, `%1`, ... for its operands."""
        names = [f"x{index}" for index in range(len(operands))]
        arguments = ", ".join(self.argument(*each) for each in zip(names, operands, strict=True))
        for index, operand in enumerate(names):
            op = op.replace(f"%{index}", f"%{operand}")
        types = f"({', '.join(map(tensor, operands))}) -> {tensor(result)}"
        returned = f" {{sdy.sharding = #sdy.sharding{self.sharding(result)}}}" if self.choose.random() < 0.5 else ""
        return f"""func.func @{name}({arguments}) -> ({tensor(result)}{returned}) {{
  %r = {op.replace("NOTE", self.note(result))} : {types}
  func.return %r : {tensor(result)}
}}
"""


def tensor(shape: Shape, element: str = "f32") -> str:
    return f"tensor<{'x'.join(map(str, (*shape, element)))}>"


def elementwise(draw: Draw, name: str) -> str:
    shape = [draw.size() for _ in range(draw.choose.randint(1, 3))]
    if draw.choose.random() < 0.3:
        return draw.function(name, [shape], shape, "stablehlo.negate %0 NOTE")
    return draw.function(name, [shape, shape], shape, "stablehlo.add %0, %1 NOTE")


def dot(draw: Draw, name: str) -> str:
    b, i, j, k = (draw.size() for _ in range(4))
    if draw.choose.random() < 0.5:
        return draw.function(name, [(i, k), (k, j)], (i, j), "stablehlo.dot %0, %1 NOTE")
    dims = "batching_dims = [0] x [1], contracting_dims = [1] x [0]"
    return draw.function(name, [(b, k, i), (k, b, j)], (b, i, j), f"stablehlo.dot_general %0, %1, {dims} NOTE")


def transpose(draw: Draw, name: str) -> str:
    shape = [draw.size() for _ in range(3)]
    order = draw.choose.sample(range(3), 3)
    return draw.function(name, [shape], [shape[dim] for dim in order], f"stablehlo.transpose %0, dims = {order} NOTE")


def broadcast(draw: Draw, name: str) -> str:
    i, j = draw.size(), draw.size()
    dim = draw.choose.randrange(2)
    op = f"stablehlo.broadcast_in_dim %0, dims = [{dim}] NOTE"
    return draw.function(name, [((i, j)[dim],)], (i, j), op)


def concatenate(draw: Draw, name: str) -> str:
    i, j, k = draw.size(), draw.size(), draw.size()
    return draw.function(name, [(i, k), (j, k)], (i + j, k), "stablehlo.concatenate %0, %1, dim = 0 NOTE")


def cut(draw: Draw, name: str) -> str:
    i, j = draw.size(), draw.size()
    rows = draw.choose.randint(1, i)
    return draw.function(name, [(i, j)], (rows, j), f"stablehlo.slice %0 [0:{rows}, 0:{j}] NOTE")


def reverse(draw: Draw, name: str) -> str:
    shape = [draw.size() for _ in range(2)]
    return draw.function(name, [shape], shape, f"stablehlo.reverse %0, dims = [{draw.choose.randrange(2)}] NOTE")


def cholesky(draw: Draw, name: str) -> str:
    size = draw.size()
    shape = (draw.size(), draw.size(), size, size)
    return draw.function(name, [shape], shape, "stablehlo.cholesky %0 NOTE")


def reduce(draw: Draw, name: str) -> str:
    shape = [draw.size() for _ in range(3)]
    dims = sorted(draw.choose.sample(range(3), draw.choose.randint(1, 2)))
    left = [size for dim, size in enumerate(shape) if dim not in dims]
    op = f"stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = {dims} NOTE"
    return draw.function(name, [shape, ()], left, op)


def reshape(draw: Draw, name: str) -> str:
    """Split a dimension, merge two, or both."""
    i, j, k = draw.choose.choice((2, 4, 6, 8)), draw.choose.choice((2, 3, 4, 8)), draw.choose.choice((2, 3, 6, 8))
    shapes = draw.choose.sample([(i, j, k), (i * j, k), (i, j * k), (i * j * k,)], 2)
    assert prod(shapes[0]) == prod(shapes[1])
    return draw.function(name, [shapes[0]], shapes[1], "stablehlo.reshape %0 NOTE")


OPERATIONS: Sequence[Callable[[Draw, str], str]] = (
    elementwise,
    dot,
    dot,
    transpose,
    broadcast,
    concatenate,
    cut,
    reverse,
    cholesky,
    reduce,
    reshape,
)


def random_conflicts(seed: int, functions: int = 12) -> str:
    """A module of so many functions."""
    choose = random.Random(seed)
    devices = list(range(24))
    choose.shuffle(devices)
    draw, names = Draw(choose), (f"f{number}" for number in count())
    body = "".join(choose.choice(OPERATIONS)(draw, next(names)) for _ in range(functions))
    return MESHES.format(devices=", ".join(map(str, devices))) + body
