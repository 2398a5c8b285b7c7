"""
Random fusions of every operation that is emitted element by element, on every element type, with odd shapes.

All floats are integers that their type holds exactly, and stay so: each value has a bound, and no operation is added
whose result could leave what is exact. So a kernel may add up in any order, and must agree to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from random import Random

import numpy as np

Shape = tuple[int, ...]

EXACT = {
    "f64": 2**53,
    "f32": 2**24,
    "f16": 2**11,
    "bf16": 2**8,
    "f8e4m3": 2**4,
    "f8e4m3fn": 2**4,
    "f8e4m3b11fnuz": 2**4,
    "f8e4m3fnuz": 2**4,
    "f8e3m4": 15,
    "f8e5m2": 2**3,
    "f8e5m2fnuz": 2**3,
    "c64": 2**24,
    "c128": 2**53,
}
"""The absolute value up to which a type represents every integer."""
SIGNED = ("s4", "s8", "s16", "s32", "s64")
UNSIGNED = ("u4", "u8", "u16", "u32", "u64")
INTEGERS = (*SIGNED, *UNSIGNED)
TYPES = ("pred", *INTEGERS, *EXACT)
WIDTHS = {type: int(type[1:]) for type in INTEGERS}
MAX_ELEMENTS = 120
INPUT_BOUND = 2
INFINITE = 10**30
"""The bound of integers, which wrap around: any value."""


@dataclass(frozen=True)
class Value:
    """An instruction: its name, element type and shape, and the largest absolute value that it can have."""

    name: str
    type: str
    shape: Shape
    bound: int


def text(type: str, shape: Shape) -> str:
    return f"{type}[{','.join(map(str, shape))}]"


def listed(values: Sequence[int]) -> str:
    return ",".join(map(str, values))


def largest(type: str) -> int:
    return 1 if type == "pred" else EXACT.get(type, INFINITE)


@dataclass
class Fusion:
    """The instructions of a fusion so far, and the computations that they call."""

    rng: Random
    type: str
    parameters: list[Value] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    computations: dict[str, str] = field(default_factory=dict)
    max_elements: int = MAX_ELEMENTS

    def add(self, type: str, shape: Shape, bound: int, instruction: str) -> Value | None:
        """One more value, if it is not too large and is exact."""
        if prod(shape) > self.max_elements or (type not in INTEGERS and bound > largest(type)):
            return None
        value = Value(f"v{len(self.lines)}", type, shape, INFINITE if type in INTEGERS else bound)
        self.lines.append(f"{value.name} = {text(type, shape)} {instruction}")
        self.values.append(value)
        return value

    def parameter(self, type: str, shape: Shape) -> Value:
        bound = largest(type) if type in (*INTEGERS, "pred") else INPUT_BOUND
        value = Value(f"p{len(self.parameters)}", type, shape, bound)
        self.parameters.append(value)
        self.values.append(value)
        return value

    def pick(self, type: str | None = None, shape: Shape | None = None, rank: int | None = None) -> Value:
        """Some value of this type, shape or rank; recent ones are more likely. There must be one."""
        found = [
            value
            for value in self.values
            if (type is None or value.type == type)
            and (shape is None or value.shape == shape)
            and (rank is None or len(value.shape) == rank)
        ]
        return found[-1 - int(len(found) * self.rng.random() ** 3)]

    def main(self) -> Value:
        """Some value of the type of the fusion."""
        return self.pick(self.type)

    def scalar(self, number: int, type: str | None = None) -> str:
        """A constant of one element."""
        type = type or self.type
        literal = {"pred": ("false", "true")[number % 2]}.get(type, str(number))
        if type in ("c64", "c128"):
            literal = f"({number}, 0)"
        self.lines.append(f"v{len(self.lines)} = {type}[] constant({literal})")
        return f"v{len(self.lines) - 1}"

    def start(self) -> Value:
        """A scalar of some integer type, for a dynamic index: a parameter, or an element of one."""
        scalars = [value for value in self.values if value.type in INTEGERS[1:5] + INTEGERS[6:] and not value.shape]
        if scalars and self.rng.random() < 0.7:
            return self.rng.choice(scalars)
        return self.parameter(self.rng.choice(["s32", "s64", "u8", "u32", "s16"]), ())

    def computation(self, operation: str, type: str, operands: int) -> str:
        """A computation of one operation on scalars."""
        name = f"{operation.replace('-', '_')}_{type}_{operands}"
        parameters = [f"x{i} = {type}[] parameter({i})" for i in range(operands)]
        names = ", ".join(f"x{i}" for i in range(operands))
        lines = "\n  ".join([*parameters, f"ROOT r = {type}[] {operation}({names})"])
        self.computations[name] = f"{name} {{\n  {lines}\n}}"
        return name


# -- One function for each kind of instruction ------------------------------------------------------------------------

ELEMENTWISE_GROWTH: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a + b,
    "multiply": lambda a, b: 2 * a * b,  # complex products have two terms
    "maximum": max,
    "minimum": max,
}


def binary_operations(type: str) -> list[str]:
    if type == "pred":
        return ["and", "or", "xor", "maximum", "minimum", "add", "multiply"]
    if type in ("c64", "c128"):
        return ["add", "subtract", "multiply"]
    return [*ELEMENTWISE_GROWTH, *(("and", "or", "xor") if type in INTEGERS else ())]


def unary(f: Fusion) -> None:
    x = f.main()
    operations = {"pred": ["not", "copy"]}.get(x.type, ["negate", "copy"])
    if x.type in SIGNED or (x.type in EXACT and x.type[0] != "c"):
        operations = [*operations, "abs"]
    f.add(x.type, x.shape, x.bound, f"{f.rng.choice(operations)}({x.name})")


def binary(f: Fusion) -> None:
    x = f.main()
    y = f.pick(x.type, x.shape)
    operation = f.rng.choice(binary_operations(x.type))
    growth = ELEMENTWISE_GROWTH.get(operation, max)
    bound = 1 if x.type == "pred" else growth(x.bound, y.bound)
    f.add(x.type, x.shape, bound, f"{operation}({x.name}, {y.name})")


def compare_and_select(f: Fusion) -> None:
    x = f.main()
    y = f.pick(x.type, x.shape)
    directions = ["EQ", "NE"] if x.type in ("c64", "c128") else ["EQ", "NE", "GE", "GT", "LE", "LT"]
    p = f.add("pred", x.shape, 1, f"compare({x.name}, {y.name}), direction={f.rng.choice(directions)}")
    if p is not None:
        z = f.pick(x.type, x.shape)
        f.add(x.type, x.shape, max(x.bound, z.bound), f"select({p.name}, {x.name}, {z.name})")


def clamp(f: Fusion) -> None:
    x = f.main()
    if x.type in ("c64", "c128"):
        return
    low, high = (f.pick(x.type, x.shape) for _ in range(2))
    if f.rng.random() < 0.5:
        low, high = (Value(f.scalar(n), x.type, (), n) for n in (0, 1))
    bound = max(x.bound, low.bound, high.bound)
    f.add(x.type, x.shape, bound, f"clamp({low.name}, {x.name}, {high.name})")


def convert(f: Fusion) -> None:
    """To the type of the fusion, if another value can be; else to another type and back."""
    x = f.pick()
    target = f.type if x.type != f.type else f.rng.choice(TYPES)
    if x.type in ("c64", "c128") and target not in ("c64", "c128"):
        return
    is_small = x.bound <= (2 ** (WIDTHS[target] - 1) - 1 if target in SIGNED else 0)
    if target in INTEGERS and x.type not in (*INTEGERS, "pred") and not is_small:
        return  # what does not fit is clamped, and a negative number has no place in unsigned ones
    f.add(target, x.shape, 1 if target == "pred" else x.bound, f"convert({x.name})")


def transpose(f: Fusion) -> None:
    x = f.main()
    order = f.rng.sample(range(len(x.shape)), len(x.shape))
    f.add(x.type, tuple(x.shape[d] for d in order), x.bound, f"transpose({x.name}), dimensions={{{listed(order)}}}")


def reverse(f: Fusion) -> None:
    x = f.main()
    dims = [d for d in range(len(x.shape)) if f.rng.random() < 0.5]
    f.add(x.type, x.shape, x.bound, f"reverse({x.name}), dimensions={{{listed(dims)}}}")


def slice_(f: Fusion) -> None:
    x = f.main()
    starts = [f.rng.randint(0, max(size - 1, 0)) for size in x.shape]
    limits = [f.rng.randint(min(start + 1, size), size) for start, size in zip(starts, x.shape, strict=True)]
    strides = [f.rng.choice([1, 1, 2, 3]) for _ in x.shape]
    ranges = list(zip(starts, limits, strides, strict=True))
    shape = tuple(-(-(limit - start) // stride) for start, limit, stride in ranges)
    bounds = ", ".join(f"[{start}:{limit}:{stride}]" for start, limit, stride in ranges)
    f.add(x.type, shape, x.bound, f"slice({x.name}), slice={{{bounds}}}")


def pad(f: Fusion) -> None:
    x = f.main()
    if not x.shape:
        return
    config = [(f.rng.randint(-1, 2), f.rng.randint(-1, 2), f.rng.choice([0, 0, 1, 2])) for _ in x.shape]
    shape = tuple(
        low + high + size + max(size - 1, 0) * gap for size, (low, high, gap) in zip(x.shape, config, strict=True)
    )
    if min(shape) < 0 or prod(shape) > f.max_elements:
        return
    value = f.scalar(1)
    padding = "x".join(f"{low}_{high}_{gap}" for low, high, gap in config)
    f.add(x.type, shape, max(x.bound, 1), f"pad({x.name}, {value}), padding={padding}")


def concatenate(f: Fusion) -> None:
    x = f.main()
    if not x.shape:
        return
    axis = f.rng.randrange(len(x.shape))
    others = [y for y in f.values if y.type == x.type and len(y.shape) == len(x.shape)]
    fitting = [y for y in others if (*y.shape[:axis], *y.shape[axis + 1 :]) == (*x.shape[:axis], *x.shape[axis + 1 :])]
    parts = [x, *(f.rng.choice(fitting) for _ in range(f.rng.randint(0, 3)))]
    shape = tuple(sum(y.shape[axis] for y in parts) if d == axis else size for d, size in enumerate(x.shape))
    names = ", ".join(y.name for y in parts)
    f.add(x.type, shape, max(y.bound for y in parts), f"concatenate({names}), dimensions={{{axis}}}")


def split(rng: Random, size: int) -> list[int]:
    """Factors of a size, in some order."""
    factors: list[int] = []
    while size > 1:
        factor = rng.choice([n for n in range(2, size + 1) if size % n == 0])
        factors.append(factor)
        size //= factor
    return factors


def reshape(f: Fusion) -> None:
    x = f.main()
    shape = split(f.rng, prod(x.shape)) if prod(x.shape) else list(x.shape)
    while len(shape) < 4 and f.rng.random() < 0.3:
        shape.insert(f.rng.randint(0, len(shape)), 1)
    opcode = f.rng.choice(["reshape", "bitcast"])
    f.add(x.type, tuple(shape), x.bound, f"{opcode}({x.name})")


def broadcast(f: Fusion) -> None:
    x = f.main()
    rank = len(x.shape) + f.rng.randint(0, 2)
    dims = sorted(f.rng.sample(range(rank), len(x.shape)))
    shape = [f.rng.randint(1, 3) for _ in range(rank)]
    for d, size in zip(dims, x.shape, strict=True):
        shape[d] = size
    f.add(x.type, tuple(shape), x.bound, f"broadcast({x.name}), dimensions={{{listed(dims)}}}")


def iota(f: Fusion) -> None:
    shape = f.main().shape
    if shape and f.type != "pred":
        axis = f.rng.randrange(len(shape))
        f.add(f.type, shape, shape[axis], f"iota(), iota_dimension={axis}")


def dynamic_slice(f: Fusion) -> None:
    x = f.main()
    sizes = tuple(f.rng.randint(min(1, size), size) for size in x.shape)
    starts = [f.start()] * len(sizes)
    names = ", ".join([x.name, *(start.name for start in starts)])
    f.add(x.type, sizes, x.bound, f"dynamic-slice({names}), dynamic_slice_sizes={{{listed(sizes)}}}")


def dynamic_update_slice(f: Fusion) -> None:
    x = f.main()
    fitting = [
        y
        for y in f.values
        if y.type == x.type
        and len(y.shape) == len(x.shape)
        and all(a <= b for a, b in zip(y.shape, x.shape, strict=True))
    ]
    update = f.rng.choice(fitting)
    start = f.start()
    names = ", ".join([x.name, update.name, *[start.name] * len(x.shape)])
    f.add(x.type, x.shape, max(x.bound, update.bound), f"dynamic-update-slice({names})")


def gather(f: Fusion) -> None:
    x = f.main()
    rank = len(x.shape)
    if 0 in x.shape:
        return
    components = f.rng.sample(range(rank), f.rng.randint(0, rank))
    batch = [f.rng.randint(1, 3) for _ in range(f.rng.randint(0, 2))]
    vector_dim = f.rng.randint(0, len(batch))
    index_shape = [*batch[:vector_dim], len(components), *batch[vector_dim:]]
    if len(components) == 1 and f.rng.random() < 0.3:  # the dimension of the vector is left out
        vector_dim, index_shape = len(batch), list(batch)
    indices = f.parameter(f.rng.choice(["s32", "u8", "s64"]), tuple(index_shape))
    if f.rng.random() < 0.5:
        indices = f.add(indices.type, indices.shape, INFINITE, f"add({indices.name}, {indices.name})") or indices
    sizes = [f.rng.choice([1, f.rng.randint(1, size)]) for size in x.shape]
    collapsed = [d for d in range(rank) if sizes[d] == 1 and f.rng.random() < 0.5]
    kept = [size for d, size in enumerate(sizes) if d not in collapsed]
    offset_dims = sorted(f.rng.sample(range(len(kept) + len(batch)), len(kept)))
    sources = {True: iter(kept), False: iter(batch)}
    shape = tuple(next(sources[d in offset_dims]) for d in range(len(kept) + len(batch)))
    f.add(
        x.type,
        shape,
        x.bound,
        f"gather({x.name}, {indices.name}), offset_dims={{{listed(offset_dims)}}}, "
        f"collapsed_slice_dims={{{listed(collapsed)}}}, start_index_map={{{listed(components)}}}, "
        f"index_vector_dim={vector_dim}, slice_sizes={{{listed(sizes)}}}",
    )


def reducer(f: Fusion, elements: int, bound: int) -> tuple[str, int, int]:
    """A reducer, its initial value, and the bound of its result."""
    if f.type == "pred":
        operation = f.rng.choice(["and", "or"])
        return f.computation(operation, f.type, 2), int(operation == "and"), 1
    operations = ["add"] if f.type in ("c64", "c128") else ["add", "maximum", "minimum"]
    operation = f.rng.choice(operations)
    growth = max(bound * elements, 1) if operation == "add" else max(bound, 1)
    return f.computation(operation, f.type, 2), 0, growth


def reduce(f: Fusion) -> None:
    x = f.main()
    reduce_along(f, x, [d for d in range(len(x.shape)) if f.rng.random() < 0.5])


def reduce_along(f: Fusion, x: Value, dims: Sequence[int]) -> None:
    shape = tuple(size for d, size in enumerate(x.shape) if d not in dims)
    name, start, bound = reducer(f, prod(x.shape[d] for d in dims), x.bound)
    if bound > largest(x.type):
        return
    init = f.scalar(start)
    f.add(x.type, shape, bound, f"reduce({x.name}, {init}), dimensions={{{listed(dims)}}}, to_apply={name}")


ARGUMENT_OF_MAXIMUM = """arg_max_{type} {{
  a = {type}[] parameter(0)
  i = s32[] parameter(1)
  b = {type}[] parameter(2)
  j = s32[] parameter(3)
  above = pred[] compare(a, b), direction=GT
  same = pred[] compare(a, b), direction=EQ
  before = pred[] compare(i, j), direction=LT
  first = pred[] and(same, before)
  left = pred[] or(above, first)
  c = {type}[] select(left, a, b)
  k = s32[] select(left, i, j)
  ROOT r = ({type}[], s32[]) tuple(c, k)
}}"""


def variadic_reduce(f: Fusion) -> None:
    x = f.main()
    if x.type in ("c64", "c128", "pred") or not x.shape:
        return
    axis = f.rng.randrange(len(x.shape))
    shape = tuple(size for d, size in enumerate(x.shape) if d != axis)
    f.computations["arg_max"] = ARGUMENT_OF_MAXIMUM.format(type=x.type)
    index = f.add("s32", x.shape, INFINITE, f"iota(), iota_dimension={axis}")
    if index is None:
        return
    starts = f"{f.scalar(0)}, {f.scalar(1000, 's32')}"
    both = f"v{len(f.lines)}"
    f.lines.append(
        f"{both} = ({text(x.type, shape)}, {text('s32', shape)}) reduce({x.name}, {index.name}, {starts}), "
        f"dimensions={{{axis}}}, to_apply=arg_max_{x.type}"
    )
    for i, (type, bound) in enumerate([(x.type, x.bound), ("s32", INFINITE)]):
        f.add(type, shape, bound, f"get-tuple-element({both}), index={i}")


def window(f: Fusion, shape: Sequence[int]) -> tuple[str, Shape, int] | None:
    """A window over dimensions of these sizes: its text, the positions, and how many elements it has."""
    fields: dict[str, list[str]] = {name: [] for name in ("size", "stride", "pad", "lhs_dilate", "rhs_dilate")}
    positions, elements = [], 1
    for size in shape:
        count, stride, low, high = f.rng.randint(1, 3), f.rng.randint(1, 2), f.rng.randint(-1, 2), f.rng.randint(-1, 2)
        base, gap = f.rng.choice([1, 1, 2]), f.rng.choice([1, 1, 2])
        padded = low + high + (0 if size == 0 else (size - 1) * base + 1)
        reach = (count - 1) * gap + 1
        positions.append(0 if padded < reach or padded <= 0 else (padded - reach) // stride + 1)
        elements *= count
        for name, value in zip(fields, (count, stride, f"{low}_{high}", base, gap), strict=True):
            fields[name].append(str(value))
    if not shape:
        return None
    return " ".join(f"{name}={'x'.join(values)}" for name, values in fields.items()), tuple(positions), elements


def reduce_window(f: Fusion) -> None:
    x = f.main()
    if (found := window(f, x.shape)) is None:
        return
    config, shape, elements = found
    name, start, bound = reducer(f, elements, x.bound)
    if bound > largest(x.type) or prod(shape) > f.max_elements:
        return
    init = f.scalar(start)
    f.add(x.type, shape, bound, f"reduce-window({x.name}, {init}), window={{{config}}}, to_apply={name}")


def dot(f: Fusion) -> None:
    x = f.main()
    if not x.shape:
        return
    summed = f.rng.randrange(len(x.shape))
    batched = [d for d in range(len(x.shape)) if d != summed and f.rng.random() < 0.3]
    same = [y for y in f.values if y.type == x.type and len(y.shape) == len(x.shape)]
    fitting = [y for y in same if all(y.shape[d] == x.shape[d] for d in (*batched, summed))]
    y = f.rng.choice(fitting)
    free = [d for d in range(len(x.shape)) if d not in (*batched, summed)]
    shape = (*(x.shape[d] for d in batched), *(x.shape[d] for d in free), *(y.shape[d] for d in free))
    bound = 1 if x.type == "pred" else max(2 * x.bound * y.bound * x.shape[summed], 1)
    dims = f"lhs_contracting_dims={{{summed}}}, rhs_contracting_dims={{{summed}}}"
    if batched:
        dims = f"lhs_batch_dims={{{listed(batched)}}}, rhs_batch_dims={{{listed(batched)}}}, {dims}"
    f.add(x.type, shape, bound, f"dot({x.name}, {y.name}), {dims}")


def map_(f: Fusion) -> None:
    x = f.main()
    y = f.pick(x.type, x.shape)
    operation = f.rng.choice(["and", "or"] if x.type == "pred" else ["add", "subtract"])
    name = f.computation(operation, x.type, 2)
    dims = listed(range(len(x.shape)))
    bound = 1 if x.type == "pred" else x.bound + y.bound
    f.add(x.type, x.shape, bound, f"map({x.name}, {y.name}), dimensions={{{dims}}}, to_apply={name}")


def bitcast_convert(f: Fusion) -> None:
    """To integers of another width, and of these only: the bits of a float are no number to compute with."""
    candidates = [x for x in f.values if x.type in INTEGERS]
    if not candidates:
        return
    x = f.rng.choice(candidates)
    target = f.rng.choice(INTEGERS)
    ratio = WIDTHS[x.type] / WIDTHS[target]
    if ratio >= 1:
        shape = x.shape if ratio == 1 else (*x.shape, int(ratio))
    elif x.shape and x.shape[-1] * ratio == 1:
        shape = x.shape[:-1]
    else:
        return
    f.add(target, shape, INFINITE, f"bitcast-convert({x.name})")


def call(f: Fusion) -> None:
    """Of a computation of tensors, which may be a nested fusion."""
    x = f.main()
    operation = "not" if x.type == "pred" else "negate"
    shape = text(x.type, x.shape)
    number = len(f.computations)
    f.computations[f"called_{number}"] = (
        f"called_{number} {{\n  x = {shape} parameter(0)\n  ROOT r = {shape} {operation}(x)\n}}"
    )
    if f.rng.random() < 0.5:
        f.add(x.type, x.shape, x.bound, f"call({x.name}), to_apply=called_{number}")
    else:
        f.add(x.type, x.shape, x.bound, f"fusion({x.name}), kind=kLoop, calls=called_{number}")


INSTRUCTIONS: Sequence[Callable[[Fusion], None]] = (
    unary,
    binary,
    binary,
    compare_and_select,
    clamp,
    convert,
    transpose,
    reverse,
    slice_,
    pad,
    concatenate,
    reshape,
    broadcast,
    iota,
    dynamic_slice,
    dynamic_update_slice,
    gather,
    reduce,
    variadic_reduce,
    reduce_window,
    dot,
    map_,
    bitcast_convert,
    call,
)


def random_fusion(rng: Random, instructions: int) -> Fusion:
    """A fusion of about so many instructions on up to three parameters, scalars and indices not counted."""
    f = Fusion(rng, rng.choice(TYPES))
    rank = rng.choice([0, 1, 2, 2, 3])
    shape = tuple(rng.choice([1, 2, 3, 4, 5, 7]) for _ in range(rank))
    if rng.random() < 0.05 and rank:
        shape = (0, *shape[1:])
    for _ in range(rng.randint(1, 3)):
        f.parameter(f.type, shape)
    for _ in range(instructions):
        rng.choice(INSTRUCTIONS)(f)
    return f


# -- Fusions with a hero ----------------------------------------------------------------------------------------------

ELEMENTWISE = (unary, binary, binary, compare_and_select, clamp, map_, call)


def rows(f: Fusion) -> None:
    reduce_along(f, f.values[-1], [len(f.values[-1].shape) - 1])


def columns(f: Fusion) -> None:
    reduce_along(f, f.values[-1], [len(f.values[-1].shape) - 2])


def other_dimensions(f: Fusion) -> None:
    rank = len(f.values[-1].shape)
    reduce_along(f, f.values[-1], sorted(f.rng.sample(range(rank), f.rng.randint(1, rank))))


def moved(f: Fusion) -> None:
    x = f.values[-1]
    order = f.rng.sample(range(len(x.shape)), len(x.shape))
    f.add(x.type, tuple(x.shape[d] for d in order), x.bound, f"transpose({x.name}), dimensions={{{listed(order)}}}")


def sliced(f: Fusion) -> None:
    x = f.values[-1]
    starts = [f.rng.randint(0, size - 1) for size in x.shape]
    limits = [f.rng.randint(start + 1, size) for start, size in zip(starts, x.shape, strict=True)]
    bounds = ", ".join(f"[{start}:{limit}]" for start, limit in zip(starts, limits, strict=True))
    shape = tuple(limit - start for start, limit in zip(starts, limits, strict=True))
    f.add(x.type, shape, x.bound, f"slice({x.name}), slice={{{bounds}}}")


def joined(f: Fusion) -> None:
    x = f.values[-1]
    parts = [x, *(f.pick(x.type, x.shape) for _ in range(f.rng.randint(1, 3)))]
    axis = f.rng.randrange(len(x.shape))
    shape = tuple(size * len(parts) if d == axis else size for d, size in enumerate(x.shape))
    names = ", ".join(part.name for part in parts)
    f.add(x.type, shape, max(part.bound for part in parts), f"concatenate({names}), dimensions={{{axis}}}")


def updated(f: Fusion) -> None:
    """A parameter that is read for nothing else, with what there is so far in it."""
    x = f.values[-1]
    shape = tuple(size + f.rng.randint(0, 5) for size in x.shape)
    whole = f.parameter(x.type, shape)
    names = ", ".join([whole.name, x.name, *[f.start().name] * len(shape)])
    f.add(x.type, shape, max(x.bound, whole.bound), f"dynamic-update-slice({names})")


HEROES: Sequence[Callable[[Fusion], None]] = (rows, columns, other_dimensions, moved, sliced, joined, updated)
SHAPES: Sequence[Shape] = (
    (5, 200),
    (64, 33),
    (130, 8),
    (70, 66),
    (300, 2),
    (3, 40, 40),
    (6, 33, 5),
    (40, 50),
    (3, 700),
)


def random_hero_fusion(rng: Random) -> tuple[Fusion, list[Value]]:
    """A fusion that ends in one or two heroes, with operations before and behind them, and its results."""
    f = Fusion(rng, rng.choice(TYPES), max_elements=12000)
    shape = rng.choice(SHAPES)
    for _ in range(rng.randint(1, 3)):
        f.parameter(f.type, shape)
    for _ in range(rng.randint(0, 6)):
        rng.choice(ELEMENTWISE)(f)
    before = [value for value in f.values if value.type == f.type and value.shape == shape]
    hero, results = rng.choice(HEROES), list[Value]()
    for _ in range(rng.choice([1, 1, 2])):
        f.values = [*before, rng.choice(before)]
        made = len(f.lines)
        hero(f)
        if len(f.lines) == made or f.values[-1].name[0] == "p":
            continue  # it would have been too large, or not exact
        f.values = f.values[-1:]
        for _ in range(rng.choice([0, 0, 1, 3])):
            rng.choice((unary, unary, call, binary))(f)
        results.append(f.values[-1])
    results += [value for value in before if value.name[0] == "v" and rng.random() < 0.15]
    return f, results or [before[-1]]


# -- Text and inputs --------------------------------------------------------------------------------------------------


def module_text(f: Fusion) -> str:
    """The module with the fusion. Its roots are the last value, and perhaps others of the same size."""
    last = f.values[-1]
    others = [value for value in f.values if prod(value.shape) == prod(last.shape) and value.name[0] == "v"]
    return text_with_results(f, [last, *(value for value in others if value is not last and f.rng.random() < 0.15)])


def text_with_results(f: Fusion, roots: Sequence[Value]) -> str:
    """The module with the fusion that gives `roots`."""
    types = [text(value.type, value.shape) for value in roots]
    declared = [f"{p.name} = {text(p.type, p.shape)} parameter({i})" for i, p in enumerate(f.parameters)]
    if len(roots) == 1:
        result, end = types[0], f"ROOT r = {types[0]} copy({roots[0].name})"
    else:
        result = f"({', '.join(types)})"
        end = f"ROOT r = {result} tuple({', '.join(value.name for value in roots)})"
    body = "\n  ".join([*declared, *f.lines, end])
    names = ", ".join(p.name for p in f.parameters)
    entry = "\n  ".join([*declared, f"ROOT fusion = {result} fusion({names}), kind=kLoop, calls=f"])
    called = "\n".join(f.computations.values())
    return f"HloModule m\n{called}\nf {{\n  {body}\n}}\nENTRY main {{\n  {entry}\n}}\n"


def exact_inputs(types: Sequence[np.dtype], shapes: Sequence[Shape], seed: int) -> list[np.ndarray]:
    """Inputs for the parameters: floats are small integers, integers anything."""
    rng = np.random.default_rng(seed)
    arrays: list[np.ndarray] = []
    for type, shape in zip(types, shapes, strict=True):
        if type.kind == "c":
            parts = rng.integers(-1, 2, (2, *shape))
            arrays.append((parts[0] + 1j * parts[1]).astype(type))
        elif type.kind in "iu" and type.itemsize > 1 and not shape:
            arrays.append(np.array(rng.integers(0, 6) if type.kind == "u" else rng.integers(-3, 6)).astype(type))
        elif type.kind in "iu":
            arrays.append(rng.integers(0, 256, (*shape, type.itemsize), np.uint8).view(type).reshape(shape))
        else:
            low = 0 if type == np.bool_ or str(type).startswith("uint") else -INPUT_BOUND
            arrays.append(rng.integers(low, INPUT_BOUND + (type != np.bool_), shape).astype(type))
    return arrays
