"""
Faults put into the program of a device: one operation or one attribute is changed.

Most change what the program computes, and some do not: whether one does is found by executing it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.selection import ComparisonDirection
from xshardy.indexing.tensor_maps import values_of
from xshardy.interpreters.constants import constant_array

Fault: TypeAlias = Callable[[Operation, Random], bool]
"""Change an operation in place; False if it cannot be changed so."""


# -- changes of any operation ------------------------------------------------------------------------------------------


def dropped(op: Operation, random: Random) -> bool:
    """Its operands in place of its results."""
    if [operand.type for operand in op.operands[: len(op.results)]] != [result.type for result in op.results]:
        return False
    for result, operand in zip(op.results, op.operands, strict=False):
        result.replace_all_uses_with(operand)
    return True


def doubled(op: Operation, random: Random) -> bool:
    """Applied to its own result."""
    if [*op.operand_types] != [*op.result_types]:
        return False
    again, block = op.clone(), op.parent
    assert block is not None
    block.insert_op_after(again, op)
    for result, new in zip(op.results, again.results, strict=True):
        result.replace_all_uses_with(new)
    again.operands = op.results
    return True


def swapped(op: Operation, random: Random) -> bool:
    """With its last two operands in the other order."""
    *rest, a, b = op.operands
    op.operands = (*rest, b, a)
    return a.type == b.type and a is not b


def rerouted(op: Operation, random: Random) -> bool:
    """With another value of the same type in place of an operand: one that was computed before."""
    number = random.randrange(len(op.operands))
    others = [value for value in _values_before(op) if value.type == op.operands[number].type]
    others = [value for value in others if value is not op.operands[number]]
    if not others:
        return False
    op.operands[number] = random.choice(others[-8:])
    return True


def _values_before(op: Operation) -> list[SSAValue]:
    """The values that an operation could read."""
    block = op.parent
    found = list[SSAValue]()
    if isinstance(block, Block):
        parent = block.parent_op()
        found += [] if parent is None or parent.parent_op() is None else _values_before(parent)
        found += block.args
        for other in block.ops:
            if other is op:
                break
            found += other.results
    return found


def renamed(op: Operation, kind: type[Operation]) -> bool:
    """Another operation on the same operands."""
    new, block = kind.create(operands=[*op.operands], result_types=[*op.result_types]), op.parent
    assert block is not None
    block.insert_op_before(new, op)
    op.results[0].replace_all_uses_with(new.results[0])
    block.erase_op(op)
    return True


def with_numbers(op: Operation, name: str, change: Callable[[list[int]], list[int] | None]) -> bool:
    """With other numbers as an array attribute."""
    values = op.properties.get(name)
    if not isinstance(values, DenseArrayBase) or (found := change([*values_of(values)])) is None:
        return False
    op.properties[name] = DenseArrayBase.from_list(i64, found)
    return True


def with_elements(op: Operation, name: str, change: Callable[[np.ndarray], np.ndarray | None]) -> bool:
    """With other elements of a `dense<...>` attribute."""
    attribute = op.properties[name]
    assert isinstance(attribute, DenseIntOrFPElementsAttr)
    found = change(np.array(constant_array(attribute)))
    if found is None:
        return False
    is_integer = found.dtype.kind in "iub"
    values = [int(value) if is_integer else float(value) for value in found.reshape(-1)]
    op.properties[name] = DenseIntOrFPElementsAttr.from_list(attribute.type, values)  # type: ignore[arg-type]
    return True


def exchanged(values: list[int], sizes: Sequence[int], random: Random) -> list[int] | None:
    """Two of the numbers exchanged whose sizes are equal, if there are such."""
    pairs = [(i, j) for j in range(len(values)) for i in range(j) if sizes[i] == sizes[j] != 1]
    if not pairs:
        return None
    i, j = random.choice(pairs)
    values[i], values[j] = values[j], values[i]
    return values


def another_dimension(name: str, shape: Callable[[Operation], Sequence[int]]) -> Fault:
    """A dimension of the same size in place of the one that an attribute names."""

    def change(op: Operation, random: Random) -> bool:
        dim, sizes = op.properties[name].value.data % len(shape(op)), shape(op)  # type: ignore[attr-defined]
        others = [other for other, size in enumerate(sizes) if other != dim and size == sizes[dim]]
        if not others:
            return False
        op.properties[name] = IntegerAttr(random.choice(others), i64)
        return True

    return change


# -- changes of operations of one kind ---------------------------------------------------------------------------------


def combined_otherwise(op: Operation, random: Random) -> bool:
    """Another combiner in a body of one operation."""
    first = op.regions[0].block.first_op
    if first is None or (other := COMBINERS.get(type(first))) is None:
        return False
    return renamed(first, other)


def other_groups(op: Operation, random: Random) -> bool:
    """Two devices of two groups exchanged."""

    def change(groups: np.ndarray) -> np.ndarray | None:
        if len(groups) < 2 or groups.shape[1] < 2:
            return None
        a, b = random.sample(range(len(groups)), 2)
        k = random.randrange(groups.shape[1])
        groups[a, k], groups[b, k] = groups[b, k], groups[a, k]
        return groups

    return with_elements(op, "replica_groups", change)


def other_order(op: Operation, random: Random) -> bool:
    """The devices of each group in another order."""
    return with_elements(op, "replica_groups", lambda groups: np.roll(groups, 1, 1) if groups.shape[1] > 1 else None)


def other_pairs(op: Operation, random: Random) -> bool:
    """Each device sends to the target of another one."""

    def change(pairs: np.ndarray) -> np.ndarray:
        pairs[:, 1] = np.roll(pairs[:, 1], random.randrange(1, max(2, len(pairs))))
        return pairs

    return with_elements(op, "source_target_pairs", change)


def shifted(op: Operation, random: Random) -> bool:
    """A slice that starts and ends one element later or earlier."""
    shape = shape_of(op.operands[0])
    start, limit = (values_of(op.properties[name]) for name in ("start_indices", "limit_indices"))
    steps = [(dim, 1) for dim, size in enumerate(shape) if limit[dim] < size]
    steps += [(dim, -1) for dim in range(len(shape)) if start[dim] > 0]
    if not steps:
        return False
    dim, step = random.choice(steps)
    for name in ("start_indices", "limit_indices"):
        with_numbers(op, name, lambda values: [value + step * (d == dim) for d, value in enumerate(values)])
    return True


def other_constant(op: Operation, random: Random) -> bool:
    """Another number, or the elements in another order."""

    def change(values: np.ndarray) -> np.ndarray:
        if values.size > 1 and (values != values.reshape(-1)[0]).any() and random.random() < 0.7:
            return np.roll(values.reshape(-1), 1)
        one = values.reshape(-1)[:1] if (values == values.reshape(-1)[0]).all() else values
        return ~one if one.dtype == bool else (one + np.asarray(1).astype(one.dtype)).astype(one.dtype)

    return with_elements(op, "value", change)


def other_direction(op: Operation, random: Random) -> bool:
    """Another comparison."""
    attribute = op.properties["comparison_direction"]
    others = [each for each in ComparisonDirection if each is not attribute.data]  # type: ignore[attr-defined]
    op.properties["comparison_direction"] = type(attribute)(random.choice(others))  # type: ignore[call-arg]
    return True


def other_permutation(op: Operation, random: Random) -> bool:
    """Two dimensions of one size exchanged."""
    sizes = shape_of(op.results[0])
    return with_numbers(op, "permutation", lambda values: exchanged(values, sizes, random))


def other_broadcast(op: Operation, random: Random) -> bool:
    """A dimension of the operand along another one of the result."""
    shape, inner = shape_of(op.results[0]), shape_of(op.operands[0])

    def change(dims: list[int]) -> list[int] | None:
        steps = [
            (place, other)
            for place, dim in enumerate(dims)
            for other in range(len(shape))
            if other not in dims and inner[place] > 1 and shape[other] == shape[dim]
        ]
        if not steps:
            return exchanged(dims, inner, random)
        place, other = random.choice(steps)
        return [other if number == place else dim for number, dim in enumerate(dims)]

    return with_numbers(op, "broadcast_dimensions", change)


def unmasked(op: Operation, random: Random) -> bool:
    """One side of a selection everywhere."""
    op.results[0].replace_all_uses_with(op.operands[random.choice([1, 2])])
    return True


def other_reduced_dimension(op: Operation, random: Random) -> bool:
    """Another dimension of the same size is reduced."""
    shape = shape_of(op.operands[0])

    def change(dims: list[int]) -> list[int] | None:
        steps = [
            (d, e) for d in dims for e in range(len(shape)) if e not in dims and shape[d] == shape[e] and shape[d] > 1
        ]
        if not steps:
            return None
        dim, other = random.choice(steps)
        return sorted(other if each == dim else each for each in dims)

    return with_numbers(op, "dimensions", change)


def other_contraction(op: Operation, random: Random) -> bool:
    """Another dimension of one operand is contracted."""
    numbers = op.properties["dot_dimension_numbers"]
    assert isinstance(numbers, stablehlo.DotDimensionNumbersAttr)
    parts = [
        [*values_of(dims)]
        for dims in (
            numbers.lhs_batching_dimensions,
            numbers.rhs_batching_dimensions,
            numbers.lhs_contracting_dimensions,
            numbers.rhs_contracting_dimensions,
        )
    ]
    side = random.choice([0, 1])
    dims, shape = parts[2 + side], shape_of(op.operands[side])
    steps = [
        (place, other)
        for place, dim in enumerate(dims)
        for other in range(len(shape))
        if other not in (*dims, *parts[side]) and shape[other] == shape[dim]
    ]
    if not steps:
        return False
    place, other = random.choice(steps)
    dims[place] = other
    found = stablehlo.DotDimensionNumbersAttr(*(DenseArrayBase.from_list(i64, part) for part in parts))
    op.properties["dot_dimension_numbers"] = found
    return True


def padded_otherwise(op: Operation, random: Random) -> bool:
    """One element of padding on the other side."""
    low, high = (values_of(op.properties[f"edge_padding_{side}"]) for side in ("low", "high"))
    dims = [dim for dim, pair in enumerate(zip(low, high, strict=True)) if any(pair)]
    if not dims:
        return False
    dim, step = random.choice(dims), random.choice([-1, 1])
    with_numbers(op, "edge_padding_low", lambda values: [v + step * (d == dim) for d, v in enumerate(values)])
    with_numbers(op, "edge_padding_high", lambda values: [v - step * (d == dim) for d, v in enumerate(values)])
    return True


def other_reversal(op: Operation, random: Random) -> bool:
    """Another dimension is reversed."""
    rank = len(shape_of(op.operands[0]))
    others = [dim for dim in range(rank) if dim not in values_of(op.properties["dimensions"])]
    return bool(others) and with_numbers(op, "dimensions", lambda values: [random.choice(others)])


# -- the faults of a program -------------------------------------------------------------------------------------------

COMBINERS: Mapping[type[Operation], type[Operation]] = {
    stablehlo.AddOp: stablehlo.MaxOp,
    stablehlo.AndOp: stablehlo.OrOp,
    stablehlo.MaxOp: stablehlo.AddOp,
    stablehlo.MinOp: stablehlo.MaxOp,
    stablehlo.OrOp: stablehlo.AndOp,
}

TWINS: Mapping[type[Operation], type[Operation]] = {
    stablehlo.AddOp: stablehlo.SubtractOp,
    stablehlo.AndOp: stablehlo.OrOp,
    stablehlo.DivOp: stablehlo.MulOp,
    stablehlo.ExpOp: stablehlo.TanhOp,
    stablehlo.MaxOp: stablehlo.MinOp,
    stablehlo.MinOp: stablehlo.MaxOp,
    stablehlo.MulOp: stablehlo.AddOp,
    stablehlo.NegOp: stablehlo.AbsOp,
    stablehlo.OrOp: stablehlo.AndOp,
    stablehlo.RemOp: stablehlo.DivOp,
    stablehlo.SubtractOp: stablehlo.AddOp,
    stablehlo.TanhOp: stablehlo.NegOp,
}

COLLECTIVE: Mapping[str, Fault] = {"dropped": dropped, "groups": other_groups, "order in groups": other_order}

FAULTS: Mapping[type[Operation], Mapping[str, Fault]] = {
    stablehlo.AllGatherOp: {
        **COLLECTIVE,
        "dimension": another_dimension("all_gather_dim", lambda op: shape_of(op.operands[0])),
    },
    stablehlo.AllReduceOp: {**COLLECTIVE, "doubled": doubled, "combiner": combined_otherwise},
    stablehlo.AllToAllOp: {
        **COLLECTIVE,
        "split dimension": another_dimension("split_dimension", lambda op: shape_of(op.operands[0])),
    },
    stablehlo.BroadcastInDimOp: {"dimensions": other_broadcast},
    stablehlo.CollectivePermuteOp: {"dropped": dropped, "pairs": other_pairs},
    stablehlo.CompareOp: {"direction": other_direction, "swapped": swapped},
    stablehlo.ConcatenateOp: {"swapped": swapped},
    stablehlo.ConstantOp: {"value": other_constant},
    stablehlo.DivOp: {"swapped": swapped},
    stablehlo.DotGeneralOp: {"dimensions": other_contraction, "swapped": swapped},
    stablehlo.DynamicSliceOp: {"swapped starts": swapped},
    stablehlo.DynamicUpdateSliceOp: {"swapped starts": swapped},
    stablehlo.IotaOp: {"dimension": another_dimension("iota_dimension", lambda op: shape_of(op.results[0]))},
    stablehlo.PadOp: {"padding": padded_otherwise},
    stablehlo.ReduceOp: {"combiner": combined_otherwise, "dimension": other_reduced_dimension},
    stablehlo.ReduceScatterOp: {
        **COLLECTIVE,
        "combiner": combined_otherwise,
        "dimension": another_dimension("scatter_dimension", lambda op: shape_of(op.operands[0])),
    },
    stablehlo.ReduceWindowOp: {"combiner": combined_otherwise},
    stablehlo.RemOp: {"swapped": swapped},
    stablehlo.ReverseOp: {"dropped": dropped, "dimension": other_reversal},
    stablehlo.ScatterOp: {"combiner": combined_otherwise},
    stablehlo.SelectOp: {"unmasked": unmasked, "swapped": swapped},
    stablehlo.SliceOp: {"shifted": shifted},
    stablehlo.SortOp: {
        "dropped": dropped,
        "dimension": another_dimension("dimension", lambda op: shape_of(op.operands[0])),
    },
    stablehlo.SubtractOp: {"swapped": swapped},
    stablehlo.TransposeOp: {"dropped": dropped, "permutation": other_permutation},
}
"""The faults of each kind of operation, beside those of all."""


def faults_in(module: ModuleOp) -> Iterator[tuple[str, Operation, Fault]]:
    """The kind of each fault that a program may get, and the operation that gets it."""
    for op in module.walk():
        if not op.operands and not isinstance(op, stablehlo.ConstantOp | stablehlo.IotaOp):
            continue
        name = op.name.partition(".")[2]
        for kind, fault in FAULTS.get(type(op), {}).items():
            yield f"{name}: {kind}", op, fault
        if type(op) in TWINS:
            yield f"{name}: another operation", op, lambda op, random: renamed(op, TWINS[type(op)])
        if op.operands:
            what = "result" if isinstance(op, ReturnOp | stablehlo.ReturnOp) else "operand"
            yield f"{name}: another {what}", op, rerouted


def mutate(module: ModuleOp, random: Random) -> str | None:
    """Put one fault into a module: its kind, all of which are as likely; None if it could not be put there."""
    faults = [*faults_in(module)]
    kind = random.choice(sorted({kind for kind, _, _ in faults}))
    _, op, fault = random.choice([each for each in faults if each[0] == kind])
    return kind if fault(op, random) else None
