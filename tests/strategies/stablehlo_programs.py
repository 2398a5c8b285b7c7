"""
Random programs of StableHLO with operations of several results: loops, branches, calls, sorts, reductions of pairs.

All values are integers, so that results are equal to the last bit, with the extremes of their types among the
arguments. Indices have types of 8 bits and more, and are out of bounds now and then.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from random import Random

import numpy as np

from xshardy.numerics.element_types import Array

Shape = tuple[int, ...]

DTYPES = {
    **{f"i{width}": np.dtype(f"int{width}") for width in (8, 16, 32, 64)},
    **{f"ui{width}": np.dtype(f"uint{width}") for width in (8, 16, 32, 64)},
}
MAX_ELEMENTS = 120
COMBINERS = ("add", "maximum", "minimum", "multiply", "or", "xor")
NEUTRAL = {"add": "0", "multiply": "1", "or": "0", "xor": "0"}
ELEMENTWISE = (*COMBINERS, "and", "subtract", "divide", "remainder", "shift_left", "shift_right_arithmetic")


def tensor(type: str, shape: Shape = ()) -> str:
    return "tensor<" + "".join(f"{size}x" for size in shape) + f"{type}>"


@dataclass(frozen=True)
class Value:
    """A value of the program: its name, element type and shape."""

    name: str
    type: str
    shape: Shape

    @property
    def text(self) -> str:
        return tensor(self.type, self.shape)


def names(values: Sequence[Value]) -> str:
    return ", ".join(value.name for value in values)


def types(values: Sequence[Value]) -> str:
    return ", ".join(value.text for value in values)


@dataclass
class Program:
    """The lines of a function so far, its arguments, and the values that a line may read."""

    rng: Random
    simple: Sequence[Callable[["Program"], None]]
    """What operations without regions are drawn from."""
    arguments: list[Value] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    count: int = 0
    depth: int = 0
    """How many regions and functions are around the next line."""
    nesting: int = 1
    """How many may be."""
    axes: Sequence[str] = ()
    """The axes of `@mesh`, for sharding constraints."""
    callees: list[tuple[str, Value, str]] = field(default_factory=list[tuple[str, Value, str]])
    """The functions that may be called again: the name, the parameter and the types of the results."""

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def argument(self, type: str, shape: Shape) -> Value:
        """One more argument; a constant in a region or a function."""
        if self.depth:
            return self.constant("1", type, shape)
        self.arguments.append(Value(f"%x{len(self.arguments)}", type, shape))
        self.values.append(self.arguments[-1])
        return self.arguments[-1]

    def constant(self, literal: str, type: str, shape: Shape = ()) -> Value:
        value = Value(self.fresh(), type, shape)
        self.lines.append(f"{value.name} = stablehlo.constant dense<{literal}> : {value.text}")
        return value

    def pick(self) -> Value:
        """Any value; recent ones are more likely."""
        return self.values[-1 - int(len(self.values) * self.rng.random() ** 2)]

    def like(self, value: Value) -> Value:
        """A value of the same type and shape."""
        return self.rng.choice([each for each in self.values if (each.type, each.shape) == (value.type, value.shape)])

    def add(self, text: str, results: Sequence[tuple[str, Shape]]) -> None:
        """An operation with these results, unless one is too large."""
        if any(prod(shape) > MAX_ELEMENTS for _, shape in results):
            return
        name = self.fresh()
        several = len(results) > 1
        self.lines.append(f"{name}{f':{len(results)}' if several else ''} = {text}")
        for number, (type, shape) in enumerate(results):
            self.values.append(Value(f"{name}#{number}" if several else name, type, shape))

    def inside(self, values: Sequence[Value], length: int, results: Sequence[Value]) -> tuple[str, list[Value]]:
        """
        The lines of a region of `length` operations, in which `values` are known too, and values like `results` there.
        """
        outer, known = self.lines, [*self.values]
        self.lines, self.values = [], [*self.values, *values]
        self.depth += 1
        write(self, length)
        found = [self.like(result) for result in results]
        self.depth -= 1
        text, self.lines, self.values = "\n".join(self.lines), outer, known
        return text, found


# -- One function for each kind of operation --------------------------------------------------------------------------


def elementwise(p: Program) -> None:
    x = p.pick()
    p.add(f"stablehlo.{p.rng.choice(ELEMENTWISE)} {x.name}, {p.like(x).name} : {x.text}", [(x.type, x.shape)])


def reshape(p: Program) -> None:
    x = p.pick()
    shape = (*x.shape[:1], 1, *x.shape[1:]) if p.rng.random() < 0.3 else (prod(x.shape),)
    p.add(f"stablehlo.reshape {x.name} : ({x.text}) -> {tensor(x.type, shape)}", [(x.type, shape)])


def transpose(p: Program) -> None:
    x = p.pick()
    order = p.rng.sample(range(len(x.shape)), len(x.shape))
    shape = tuple(x.shape[d] for d in order)
    p.add(f"stablehlo.transpose {x.name}, dims = {order} : ({x.text}) -> {tensor(x.type, shape)}", [(x.type, shape)])


def broadcast(p: Program) -> None:
    x = p.pick()
    place = p.rng.randint(0, len(x.shape))
    dims = [d + (d >= place) for d in range(len(x.shape))]
    shape = (*x.shape[:place], p.rng.randint(1, 3), *x.shape[place:])
    result = tensor(x.type, shape)
    p.add(f"stablehlo.broadcast_in_dim {x.name}, dims = {dims} : ({x.text}) -> {result}", [(x.type, shape)])


def barrier(p: Program) -> None:
    values = [p.pick() for _ in range(p.rng.randint(1, 3))]
    text = f"stablehlo.optimization_barrier {names(values)} : {types(values)}"
    p.add(text, [(value.type, value.shape) for value in values])


def dynamic_slice(p: Program) -> None:
    x = p.pick()
    if not x.shape:
        return
    start = p.argument(p.rng.choice([*DTYPES]), ())
    sizes = tuple(p.rng.randint(1, size) for size in x.shape)
    starts, of_starts = ", ".join([start.name] * len(sizes)), ", ".join([start.text] * len(sizes))
    text = f"stablehlo.dynamic_slice {x.name}, {starts}, sizes = {[*sizes]} : ({x.text}, {of_starts}) -> "
    p.add(text + tensor(x.type, sizes), [(x.type, sizes)])


def gather(p: Program) -> None:
    """Rows of the first dimension."""
    x, count = p.pick(), p.rng.randint(1, 4)
    if not x.shape:
        return
    indices = p.argument(p.rng.choice([*DTYPES]), (count, 1))
    shape = (count, *x.shape[1:])
    numbers = f"offset_dims = {[*range(1, len(shape))]}, collapsed_slice_dims = [0], start_index_map = [0]"
    sizes = ", ".join(map(str, (1, *x.shape[1:])))
    p.add(
        f'"stablehlo.gather"({x.name}, {indices.name}) <{{dimension_numbers = #stablehlo.gather<{numbers}, '
        f"index_vector_dim = 1>, slice_sizes = array<i64: {sizes}>}}> : ({x.text}, {indices.text}) -> "
        f"{tensor(x.type, shape)}",
        [(x.type, shape)],
    )


def scatter(p: Program) -> None:
    """Of one operand, or of two: rows of the first dimension, combined in any order."""
    x = p.pick()
    if not x.shape:
        return
    inputs = [x, p.like(x)][: p.rng.randint(1, 2)]
    count = p.rng.randint(1, 4)
    indices = p.argument(p.rng.choice([*DTYPES]), (count, 1))
    updates = [p.argument(x.type, (count, *x.shape[1:])) for _ in inputs]
    numbers = f"update_window_dims = {[*range(1, len(x.shape))]}, inserted_window_dims = [0]"
    operands = [*inputs, indices, *updates]
    p.add(
        f'"stablehlo.scatter"({names(operands)}) <{{scatter_dimension_numbers = #stablehlo.scatter<{numbers}, '
        f"scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> "
        f"{combined(p, [p.rng.choice(COMBINERS) for _ in inputs], [x.type] * len(inputs))} : ({types(operands)}) -> "
        f"({types(inputs)})",
        [(value.type, value.shape) for value in inputs],
    )


def combined(p: Program, combiners: Sequence[str], elements: Sequence[str]) -> str:
    """A region that combines pairs of scalars, one for each combiner."""
    name, scalars = p.fresh(), [tensor(type) for type in elements]
    given = [f"{name}{side}{i}: {type}" for side in "ab" for i, type in enumerate(scalars)]
    lines = [
        f"{name}c{i} = stablehlo.{combiner} {name}a{i}, {name}b{i} : {type}"
        for i, (combiner, type) in enumerate(zip(combiners, scalars, strict=True))
    ]
    results = ", ".join(f"{name}c{i}" for i in range(len(lines)))
    body = "\n".join([*lines, f"stablehlo.return {results} : {', '.join(scalars)}"])
    return f"({{\n^bb0({', '.join(given)}):\n{body}\n}})"


def reduce(p: Program) -> None:
    """Of one operand, or of two."""
    x = p.pick()
    alike = [value for value in p.values if value.shape == x.shape]
    inputs = [x, *p.rng.sample(alike, min(len(alike), p.rng.randint(0, 1)))]
    dims = [d for d in range(len(x.shape)) if p.rng.random() < 0.5]
    shape = tuple(size for d, size in enumerate(x.shape) if d not in dims)
    combiners = [p.rng.choice([*NEUTRAL]) for _ in inputs]
    inits = [p.constant(NEUTRAL[combiner], x.type) for combiner, x in zip(combiners, inputs, strict=True)]
    operands, results = [*inputs, *inits], [Value("", value.type, shape) for value in inputs]
    listed = f"array<i64: {', '.join(map(str, dims))}>" if dims else "array<i64>"
    p.add(
        f'"stablehlo.reduce"({names(operands)}) <{{dimensions = {listed}}}> '
        f"{combined(p, combiners, [value.type for value in inputs])} : ({types(operands)}) -> ({types(results)})",
        [(value.type, shape) for value in inputs],
    )


def sort(p: Program) -> None:
    """By the first operand; others are sorted with it."""
    x = p.pick()
    if not x.shape:
        return
    alike = [value for value in p.values if value.shape == x.shape]
    inputs = [x, *p.rng.sample(alike, min(len(alike), p.rng.randint(0, 2)))]
    name, scalar = p.fresh(), tensor(x.type)
    given = ", ".join(f"{name}{side}{i}: {tensor(each.type)}" for i, each in enumerate(inputs) for side in "ab")
    direction = p.rng.choice(["LT", "GT"])
    region = f"""({{
^bb0({given}):
{name} = stablehlo.compare {direction}, {name}a0, {name}b0 : ({scalar}, {scalar}) -> tensor<i1>
stablehlo.return {name} : tensor<i1>
}})"""
    properties = f"dimension = {p.rng.randrange(len(x.shape))} : i64, is_stable = true"
    p.add(
        f'"stablehlo.sort"({names(inputs)}) <{{{properties}}}> {region} : ({types(inputs)}) -> ({types(inputs)})',
        [(value.type, value.shape) for value in inputs],
    )


def while_(p: Program) -> None:
    """A loop of up to three iterations that carries a counter and up to three values."""
    inits = [p.pick() for _ in range(p.rng.randint(1, 3))]
    zero, limit, one = (p.constant(str(number), "i32") for number in (0, p.rng.randint(0, 3), 1))
    name = p.fresh()
    carried = [Value(f"{name}c{i}", init.type, init.shape) for i, init in enumerate(inits)]
    counter = Value(f"{name}i", "i32", ())
    body, results = p.inside([*carried, counter], p.rng.randint(0, 3), carried)
    bound = ", ".join(f"{c.name} = {i.name}" for c, i in zip([counter, *carried], [zero, *inits], strict=True))
    state = types([counter, *carried])
    p.add(
        f"""stablehlo.while({bound}) : {state} cond {{
{name}p = stablehlo.compare LT, {counter.name}, {limit.name} : (tensor<i32>, tensor<i32>) -> tensor<i1>
stablehlo.return {name}p : tensor<i1>
}} do {{
{body}
{name}n = stablehlo.add {counter.name}, {one.name} : tensor<i32>
stablehlo.return {name}n, {names(results)} : {state}
}}""",
        [("i32", ()), *((value.type, value.shape) for value in carried)],
    )


def case(p: Program) -> None:
    """Up to four branches, chosen by an index that may be out of bounds; two of them now and then by a predicate."""
    index, results = p.argument("i32", ()), [p.pick() for _ in range(p.rng.randint(1, 2))]
    branches: list[str] = []
    for _ in range(p.rng.randint(1, 4)):
        body, returned = p.inside([], p.rng.randint(0, 2), results)
        branches.append(f"{{\n{body}\nstablehlo.return {names(returned)} : {types(returned)}\n}}")
    selector, name = index, "case"
    if len(branches) == 2 and p.rng.random() < 0.5:
        selector, name = Value(p.fresh(), "i1", ()), "if"
        p.lines.append(f"{selector.name} = stablehlo.convert {index.name} : ({index.text}) -> {selector.text}")
    text = f'"stablehlo.{name}"({selector.name}) ({", ".join(branches)}) : ({selector.text}) -> ({types(results)})'
    p.add(text, [(value.type, value.shape) for value in results])


def call(p: Program) -> None:
    """A function of one value, which returns two."""
    x, name = p.pick(), p.fresh().replace("%v", "f")
    parameter = Value(f"%{name}", x.type, x.shape)
    everything, p.values = p.values, []
    body, results = p.inside([parameter], p.rng.randint(0, 3), [parameter, parameter])
    p.values = everything
    p.functions.append(
        f"func.func private @{name}({parameter.name}: {x.text}) -> ({types(results)}) {{\n{body}\n"
        f"func.return {names(results)} : {types(results)}\n}}"
    )
    p.callees.append((name, parameter, types(results)))
    p.add(f"func.call @{name}({x.name}) : ({x.text}) -> ({types(results)})", [(x.type, x.shape)] * 2)


def call_again(p: Program) -> None:
    """A function that is called already, with another value of its type."""
    for name, parameter, results in p.callees:
        alike = [value for value in p.values if (value.type, value.shape) == (parameter.type, parameter.shape)]
        if alike and p.rng.random() < 0.5:
            x = p.rng.choice(alike)
            p.add(f"func.call @{name}({x.name}) : ({x.text}) -> ({results})", [(x.type, x.shape)] * 2)
            return


def constrain(p: Program) -> None:
    """A sharding constraint along any axes, which need not divide the dimensions."""
    x = p.pick()
    if not x.shape:
        return
    dims: list[list[str]] = [[] for _ in x.shape]
    for axis in p.axes:
        if p.rng.random() < 0.7:
            p.rng.choice(dims).append(f'"{axis}"')
    listed = ", ".join(f"{{{', '.join(dim)}}}" for dim in dims)
    p.add(f"sdy.sharding_constraint {x.name} <@mesh, [{listed}]> : {x.text}", [(x.type, x.shape)])


# -- Operations that are linear in their operands ---------------------------------------------------------------------


def linear(p: Program) -> None:
    """Elementwise."""
    x, name = p.pick(), p.rng.choice(["add", "add", "subtract", "multiply", "negate"])
    operands = x.name if name == "negate" else f"{x.name}, {p.like(x).name}"
    p.add(f"stablehlo.{name} {operands} : {x.text}", [(x.type, x.shape)])


def select(p: Program) -> None:
    x = p.pick()
    sign = Value(p.fresh(), "i1", x.shape)
    zero = p.constant("0", x.type, x.shape)
    p.lines.append(
        f"{sign.name} = stablehlo.compare LT, {p.like(x).name}, {zero.name} : ({x.text}, {x.text}) -> {sign.text}"
    )
    other = p.rng.choice([zero, p.like(x)])
    p.add(f"stablehlo.select {sign.name}, {x.name}, {other.name} : {sign.text}, {x.text}", [(x.type, x.shape)])


def convert(p: Program) -> None:
    x, type = p.pick(), p.rng.choice([*DTYPES])
    p.add(f"stablehlo.convert {x.name} : ({x.text}) -> {tensor(type, x.shape)}", [(type, x.shape)])


def slice_(p: Program) -> None:
    x = p.pick()
    limits = [p.rng.randint(1, size) for size in x.shape]
    starts = [p.rng.randrange(limit) for limit in limits]
    shape = tuple(limit - start for start, limit in zip(starts, limits, strict=True))
    listed = ", ".join(f"{start}:{limit}" for start, limit in zip(starts, limits, strict=True))
    p.add(f"stablehlo.slice {x.name} [{listed}] : ({x.text}) -> {tensor(x.type, shape)}", [(x.type, shape)])


def pad(p: Program) -> None:
    x, padding = p.pick(), p.rng.randint(0, 1)
    value = p.constant(str(padding), x.type)
    low, high, interior = ([p.rng.randint(0, 1) for _ in x.shape] for _ in range(3))
    shape = tuple(size + a + b + (size - 1) * c for size, a, b, c in zip(x.shape, low, high, interior, strict=True))
    p.add(
        f"stablehlo.pad {x.name}, {value.name}, low = {low}, high = {high}, interior = {interior} : "
        f"({x.text}, {value.text}) -> {tensor(x.type, shape)}",
        [(x.type, shape)],
    )


def concatenate(p: Program) -> None:
    x = p.pick()
    if x.shape:
        y, dim = p.like(x), p.rng.randrange(len(x.shape))
        shape = (*x.shape[:dim], 2 * x.shape[dim], *x.shape[dim + 1 :])
        text = (
            f"stablehlo.concatenate {x.name}, {y.name}, dim = {dim} : ({x.text}, {y.text}) -> {tensor(x.type, shape)}"
        )
        p.add(text, [(x.type, shape)])


def update(p: Program) -> None:
    x = p.pick()
    start = p.argument("i32", ())
    update = p.argument(x.type, tuple(p.rng.randint(1, size) for size in x.shape))
    operands = [x, update, *[start] * len(x.shape)]
    text = f"stablehlo.dynamic_update_slice {names(operands)} : ({types(operands)}) -> {x.text}"
    p.add(text, [(x.type, x.shape)])


def dot(p: Program) -> None:
    """Along the last dimension of one operand and the first of the other, if there is one."""
    x = p.pick()
    pairs = [y for y in p.values if x.shape and y.shape[:1] == x.shape[-1:] and y.type == x.type]
    if pairs:
        y = p.rng.choice(pairs)
        shape = (*x.shape[:-1], *y.shape[1:])
        dims = f"contracting_dims = [{len(x.shape) - 1}] x [0]"
        text = f"stablehlo.dot_general {x.name}, {y.name}, {dims} : ({x.text}, {y.text}) -> {tensor(x.type, shape)}"
        p.add(text, [(x.type, shape)])


def sum_(p: Program) -> None:
    x = p.pick()
    dims = [d for d in range(len(x.shape)) if p.rng.random() < 0.5]
    shape = tuple(size for d, size in enumerate(x.shape) if d not in dims)
    init, across = p.constant("0", x.type), f"applies stablehlo.add across dimensions = {dims}"
    result = tensor(x.type, shape)
    p.add(
        f"stablehlo.reduce({x.name} init: {init.name}) {across} : ({x.text}, {init.text}) -> {result}",
        [(x.type, shape)],
    )


SIMPLE: Sequence[Callable[[Program], None]] = (
    *(elementwise, elementwise, reshape, transpose, broadcast, barrier, dynamic_slice, gather, scatter, reduce, sort),
)
LINEAR: Sequence[Callable[[Program], None]] = (
    *(linear, linear, linear, reshape, transpose, broadcast, barrier, dynamic_slice, gather, select, convert, slice_),
    *(pad, concatenate, update, dot, dot, sum_, sum_, elementwise),
)
WITH_REGIONS: Sequence[Callable[[Program], None]] = (while_, case, call)


def write(p: Program, length: int) -> None:
    """Up to `length` operations; those in `p.nesting` regions have no regions."""
    for _ in range(length):
        inner = (*p.simple, *(constrain,) * (4 * bool(p.axes)))
        outer = (*WITH_REGIONS, *(call, call_again) * (3 * bool(p.axes)))
        p.rng.choice(inner if p.depth == p.nesting else (*inner, *outer))(p)


def random_program(rng: Random, length: int, *, linear: bool = False) -> tuple[str, list[Array]]:
    """
    A program of about `length` operations, which returns up to three of its values, and arguments for it.

    If `linear`, most operations are linear in their operands.
    """
    p = Program(rng, LINEAR if linear else SIMPLE)
    for _ in range(rng.randint(1, 3)):
        p.argument(rng.choice([*DTYPES]), tuple(rng.choice([1, 2, 3, 4, 5, 8]) for _ in range(rng.randint(0, 2))))
    return written(p, length)


def random_nested_program(rng: Random, length: int, axes: Sequence[str]) -> tuple[str, list[Array]]:
    """A program with regions and calls in these, functions that are called twice, and shardings over `@mesh`."""
    p = Program(rng, SIMPLE, nesting=2, axes=axes)
    for _ in range(rng.randint(1, 3)):
        p.argument("i32", tuple(rng.choice([2, 3, 5, 6, 7, 9]) for _ in range(rng.randint(1, 2))))
    constrain(p)
    return written(p, length)


def written(p: Program, length: int) -> tuple[str, list[Array]]:
    """The program of `p`, with about `length` more operations, and arguments for it."""
    rng = p.rng
    write(p, length)
    returned = [rng.choice(p.values) for _ in range(rng.choice([1, 1, 2, 3]))]
    given = ", ".join(f"{argument.name}: {argument.text}" for argument in p.arguments)
    body = "\n".join([*p.lines, f"func.return {names(returned)} : {types(returned)}"])
    main = f"func.func public @main({given}) -> ({types(returned)}) {{\n{body}\n}}"
    return "\n".join([*p.functions, main]), [drawn(rng, argument) for argument in p.arguments]


def drawn(rng: Random, argument: Value) -> Array:
    """Small numbers, and the extremes of the type."""
    dtype = DTYPES[argument.type]
    limits = np.iinfo(dtype)
    numbers = [0, 1, 2, 3, 1, 2, int(limits.min), int(limits.max), int(limits.max) - 1]
    return np.array([rng.choice(numbers) for _ in range(prod(argument.shape))], dtype).reshape(argument.shape)
