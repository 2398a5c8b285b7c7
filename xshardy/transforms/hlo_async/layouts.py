"""
The layouts of asynchronous operations: those of the wrapped operation, in the structure of the bundle.

`hlo.layout` and `hlo.memory` have one entry for each array of a result; tuples and bundles are flattened in the order
of their HLO shape. The default is `unit` and the empty text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, StringAttr, TupleType, UnitAttr
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from xshardy.dialects.function_attributes import attributes_of_argument, set_argument_attributes
from xshardy.dialects.hlo.async_operation import DoneOp, StartOp, bundle_type
from xshardy.dialects.hlo.async_shapes import BundleShapes, elements_of, write_tuple
from xshardy.dialects.hlo.layout import LAYOUT, MEMORY


@dataclass(frozen=True, slots=True)
class Placement:
    """The layout of one array: an entry of `hlo.layout`, and one of `hlo.memory`."""

    layout: Attribute
    memory: Attribute


DEFAULT = Placement(UnitAttr(), StringAttr(""))


def array_count(type: Attribute) -> int:
    """The number of arrays in `type`."""
    return sum(map(array_count, type.types.data)) if isinstance(type, TupleType) else 1


def entries(attribute: Attribute | None, default: Attribute) -> Iterator[Attribute]:
    """
    The entries of an attribute that is one entry or a list; an infinite sequence of defaults without an attribute.
    """
    match attribute:
        case None:
            while True:
                yield default
        case ArrayAttr():
            yield from attribute
        case _:
            yield attribute


def placements(attributes: Mapping[str, Attribute], count: int) -> tuple[Placement, ...]:
    """The placements of `count` arrays in `attributes`."""
    layouts, memories = entries(attributes.get(LAYOUT), DEFAULT.layout), entries(attributes.get(MEMORY), DEFAULT.memory)
    return tuple(Placement(layout, memory) for _, layout, memory in zip(range(count), layouts, memories, strict=False))


def placements_of(value: SSAValue) -> tuple[Placement, ...]:
    """The placements of the arrays of `value`."""
    count = array_count(value.type)
    match value:
        case OpResult(op=op, index=index):
            first = sum(array_count(type) for type in op.result_types[:index])
            return placements(op.attributes, first + count)[first:]
        case BlockArgument(block=block, index=index) if isinstance(function := block.parent_op(), func.FuncOp):
            return placements(attributes_of_argument(function, index), count)
        case _:
            return (DEFAULT,) * count


def tree_of(value: SSAValue) -> Placement | tuple[Placement, ...]:
    """The placements of `value` as a tuple; a single placement for an array."""
    places = placements_of(value)
    return places if isinstance(value.type, TupleType) else places[0]


def flatten(tree: object) -> Iterator[Placement]:
    """The placements in a tree of them, in order."""
    if isinstance(tree, Placement):
        yield tree
    else:
        for element in elements_of(tree):
            yield from flatten(element)


def attributes_for(tree: object) -> dict[str, Attribute]:
    """The layout attributes of a value with these placements; none if all are the default."""
    attributes: dict[str, Attribute] = {}
    places = tuple(flatten(tree))
    for name, values, default in (
        (LAYOUT, [place.layout for place in places], DEFAULT.layout),
        (MEMORY, [place.memory for place in places], DEFAULT.memory),
    ):
        if any(value != default for value in values):
            attributes[name] = values[0] if isinstance(tree, Placement) else ArrayAttr(values)
    return attributes


def place_chain(function: func.FuncOp, wrapped: Operation, start: StartOp, done: DoneOp) -> None:
    """
    Set the layouts of the arguments of `function`, of `start` and of `done`, from the operands and the operation
    `wrapped`.
    """
    done.attributes.update({key: wrapped.attributes[key] for key in (LAYOUT, MEMORY) if key in wrapped.attributes})
    operands = tuple(map(tree_of, start.inputs))
    set_argument_attributes(function, list(map(attributes_for, operands)))
    contexts = tuple((DEFAULT,) * array_count(type) for type in bundle_type(start.bundle).contexts)
    bundle = BundleShapes(operands, tuple(map(tree_of, done.outputs)), contexts)
    start.attributes.update(attributes_for(write_tuple(start.opcode, bundle)))


def place_synchronous(done: DoneOp, op: Operation) -> None:
    """Set the layouts of `op`, which replaces a chain that ends with `done`, to those of the results of `done`."""
    op.attributes.update({key: done.attributes[key] for key in (LAYOUT, MEMORY) if key in done.attributes})
