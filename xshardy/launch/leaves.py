"""
The tensors of a prepared program: which values are the same tensor in the same memory, and how it is laid out.

A bitcast, an element of a tuple, the result of an asynchronous operation and the like are the memory of another value.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import AnyTensorType, ArrayAttr, DenseArrayBase, IntegerType, TensorType, TupleType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.hints import isa

from xshardy.dialects import hlo, stablehlo
from xshardy.emitters.elemental.kinds import bits_in_memory
from xshardy.hlo_text.shapes import print_type
from xshardy.launch.prepared_program import ModuleError, name_of

SAME_MEMORY = (hlo.AddDependencyOp, hlo.BitcastOp, hlo.DomainOp, stablehlo.OptimizationBarrierOp, stablehlo.ReshapeOp)
"""Operations whose results are the memory of the operands of the same numbers."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A tensor: `value` itself, or the element at `path` of a tuple."""

    value: SSAValue
    path: tuple[int, ...] = ()

    @property
    def type(self) -> AnyTensorType:
        """The type of the tensor. Its encoding is no layout: see `layout`."""
        type: Attribute = self.value.type
        for index in self.path:
            type = cast(TupleType, type).types.data[index]
        return cast(AnyTensorType, type)

    @property
    def layout(self) -> tuple[int, ...]:
        """The dimensions from minor to major."""
        layout = self._layout_in_tuple() if self.path else layout_of(self.value)
        return layout or tuple(reversed(range(self.type.get_num_dims())))

    def _layout_in_tuple(self) -> tuple[int, ...] | None:
        """That of an element of a tuple: an operation has the layouts of all elements of its result."""
        layouts = self.value.owner.attributes.get(hlo.LAYOUT) if isinstance(self.value.owner, Operation) else None
        if not isa(layouts, ArrayAttr[Attribute]):
            return None
        layout = layouts.data[[*leaves_of(self.value)].index(self)]
        return tuple(layout.get_values()) if isa(layout, DenseArrayBase[IntegerType]) else None

    @property
    def shape_text(self) -> str:
        """As in HLO text: `f32[2,3]{1,0}`."""
        return f"{print_type(self.type)}{{{','.join(map(str, self.layout))}}}"

    @property
    def size(self) -> int:
        """Bytes in memory; elements of less than a byte are packed. Raises `ModuleError` if it is not known."""
        if not self.type.has_static_shape():
            raise ModuleError(f"{self.name} is a {print_type(self.type)}: the size of a buffer must be known")
        bits = self.type.element_count() * bits_in_memory(self.type)
        return -(-bits // 8)

    @property
    def name(self) -> str:
        """The name of the instruction, with the number of its result or element if it has several."""
        parts = list(self.path)
        if isinstance(self.value, OpResult):
            name = name_of(self.value.op)
            if len(self.value.op.results) > 1:
                parts.insert(0, self.value.index)
        else:
            assert isinstance(self.value, BlockArgument)
            name = self.value.name_hint or f"argument {self.value.index}"
        return name + "".join(f"{{{part}}}" for part in parts)


def layout_of(value: SSAValue) -> tuple[int, ...] | None:
    """The dimensions of `value` from minor to major; None for the default order. Those of a loop are as before it."""
    while isinstance(value, BlockArgument) and isinstance(
        parent := value.block.parent_op(), stablehlo.WhileOp | stablehlo.AsyncStartOp
    ):
        value = parent.operands[value.index]
    return hlo.layout_of(value)


def leaves_of(value: SSAValue) -> Iterator[Leaf]:
    """The tensors of `value`: itself, or those of a tuple; tokens and bundles have none."""
    yield from _leaves(value, value.type, ())


def _leaves(value: SSAValue, type: Attribute, path: tuple[int, ...]) -> Iterator[Leaf]:
    if isinstance(type, TupleType):
        for index, element in enumerate(type.types.data):
            yield from _leaves(value, element, (*path, index))
    elif isinstance(type, TensorType):
        yield Leaf(value, path)


def origin(leaf: Leaf) -> Leaf:
    """The tensor whose memory `leaf` is: the one that an operation, or a block, defines there."""
    while (before := _forwarded(leaf)) is not None:
        leaf = before
    return leaf


def _forwarded(leaf: Leaf) -> Leaf | None:
    """The value that is `leaf` already; None if `leaf` is defined where it is."""
    value, path = leaf.value, leaf.path
    match value.owner:
        case stablehlo.GetTupleElementOp() as op:
            return Leaf(op.operand, (op.index.value.data, *path))
        case stablehlo.TupleOp() as op:
            return Leaf(op.operands[path[0]], path[1:])
        case hlo.DoneOp() | stablehlo.AsyncDoneOp() as op:
            assert isinstance(value, OpResult)
            return Leaf(returned(started(op).body.block).operands[value.index], path)
        case Block() as block:
            parent = block.parent_op()
            assert isinstance(value, BlockArgument)
            return Leaf(parent.operands[value.index], path) if isinstance(parent, stablehlo.AsyncStartOp) else None
        case op if isinstance(op, SAME_MEMORY):
            assert isinstance(value, OpResult)
            return Leaf(op.operands[value.index], path)
        case _:
            return None


def started(done: Operation) -> stablehlo.AsyncStartOp:
    """The start that `done` waits for. Raises `ModuleError` if it is not in the same block."""
    start = done.operands[0].owner
    if not isinstance(start, stablehlo.AsyncStartOp) or start.parent is not done.parent:
        raise ModuleError(f"{name_of(done)} waits for what starts in another computation: start it in this one")
    return start


def returned(block: Block) -> Operation:
    """The operation at the end of `block`, whose operands are its results."""
    last = block.last_op
    assert last is not None
    return last
