"""
Aliasing: the values that share a buffer.

Every operation has new buffers for its results, except those that forward values: the bundle of an asynchronous start
holds the buffers of the operands, an update forwards the bundle, and the results of the done are the outputs that the
bundle has held since the start. Source: rows HLO-ASYNC-07 to -11.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from typing import TypeAlias, cast

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.hlo.async_operation import DoneOp, StartOp, bundle_type
from xshardy.dialects.hlo.async_shapes import BundleShapes, write_tuple

ShapeIndex: TypeAlias = tuple[int, ...]
"""The path to an array in the shape of a value, in HLO's notation: `(0, 1)` for `{0,1}`, `()` for an array."""


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """The memory of one array. The number is that of its creation in the block."""

    number: int
    type: Attribute


Tree: TypeAlias = "Buffer | tuple[Tree, ...]"
"""The buffers of a value: one, or those of the elements of a tuple."""


def leaves(tree: Tree, index: ShapeIndex = ()) -> Iterator[tuple[ShapeIndex, Buffer]]:
    """The buffers in `tree` with their paths."""
    if isinstance(tree, Buffer):
        yield index, tree
    else:
        for i, element in enumerate(tree):
            yield from leaves(element, (*index, i))


@dataclass(frozen=True, slots=True)
class Bundle:
    """The buffers of an operation in flight, and the opcode of its start."""

    opcode: str
    operands: tuple[Tree, ...]
    outputs: tuple[Tree, ...]
    contexts: tuple[Tree, ...]

    def tree(self) -> Tree:
        """The buffers in HLO's shape of the start; for `all-reduce-start` the outputs alone."""
        return cast(Tree, write_tuple(self.opcode, BundleShapes(self.operands, self.outputs, self.contexts)))

    def buffers(self) -> Iterator[Buffer]:
        """All buffers, including those of operands that HLO's shape omits."""
        for _, buffer in leaves((*self.operands, *self.outputs, *self.contexts)):
            yield buffer


@dataclass(frozen=True, slots=True)
class Aliasing:
    """The aliasing of a block: the buffers of each value, and those that each operation (None: the caller) provides."""

    trees: Mapping[SSAValue, Tree]
    bundles: Mapping[SSAValue, Bundle]
    provided: Mapping[Operation | None, tuple[Buffer, ...]]

    def buffers_of(self, value: SSAValue) -> Iterator[Buffer]:
        """The buffers that must be live where `value` is read."""
        if value in self.bundles:
            yield from self.bundles[value].buffers()
        else:
            for _, buffer in leaves(self.trees[value]):
                yield buffer

    def places(self) -> Mapping[Buffer, list[tuple[SSAValue, ShapeIndex]]]:
        """The values that contain each buffer, in program order, with the paths in their HLO shape."""
        result: dict[Buffer, list[tuple[SSAValue, ShapeIndex]]] = {}
        for value, tree in self.trees.items():
            for index, buffer in leaves(tree):
                result.setdefault(buffer, []).append((value, index))
        return result


class AliasAnalysis:
    """Computes the `Aliasing` of a block; visits each operation once."""

    def __init__(self, block: Block):
        self.trees: dict[SSAValue, Tree] = {}
        self.bundles: dict[SSAValue, Bundle] = {}
        self.provided: dict[Operation | None, tuple[Buffer, ...]] = {}
        self._numbers = count()
        self._new: list[Buffer] = []
        for argument in block.args:
            self.trees[argument] = self.new_buffers(argument.type)
        self.provided[None] = self._take_new()
        for op in block.ops:
            _rule_of(type(op))(self, op)
            self.provided[op] = self._take_new()

    def _take_new(self) -> tuple[Buffer, ...]:
        taken, self._new = tuple(self._new), []
        return taken

    def new_buffers(self, type: Attribute) -> Tree:
        """New buffers for an array, or for the arrays in a tuple."""
        if isinstance(type, TupleType):
            return tuple(map(self.new_buffers, type.types.data))
        buffer = Buffer(next(self._numbers), type)
        self._new.append(buffer)
        return buffer

    def of(self, value: SSAValue) -> Tree:
        """The buffers of `value`. A value from outside of the block gets buffers at its first use."""
        if value not in self.trees:
            new, self._new = self._new, []
            self.trees[value] = self.new_buffers(value.type)
            self.provided[None] += self._take_new()
            self._new = new
        return self.trees[value]

    def set_bundle(self, value: SSAValue, bundle: Bundle) -> None:
        """Record that `value` is the bundle of an operation in flight."""
        self.bundles[value] = bundle
        self.trees[value] = bundle.tree()


def provide_results(analysis: AliasAnalysis, op: Operation) -> None:
    """The default: a new buffer for each array of the results."""
    for result in op.results:
        analysis.trees[result] = analysis.new_buffers(result.type)


def start(analysis: AliasAnalysis, op: StartOp) -> None:
    """The bundle holds the buffers of the operands and new buffers for outputs and contexts."""
    type = bundle_type(op.bundle)
    operands = tuple(map(analysis.of, op.inputs))
    outputs, contexts = (tuple(map(analysis.new_buffers, types)) for types in (type.outputs, type.contexts))
    analysis.set_bundle(op.bundle, Bundle(op.opcode, operands, outputs, contexts))


def update(analysis: AliasAnalysis, op: hlo.AsyncUpdateOp) -> None:
    """The bundle is forwarded, and holds the buffers of further operands."""
    bundle = analysis.bundles[op.operand]
    operands = (*bundle.operands, *map(analysis.of, op.inputs))
    analysis.set_bundle(op.bundle, replace(bundle, operands=operands))


def done(analysis: AliasAnalysis, op: DoneOp) -> None:
    """The results are the outputs of the bundle."""
    analysis.trees.update(zip(op.outputs, analysis.bundles[op.operand].outputs, strict=True))


def pack(analysis: AliasAnalysis, op: stablehlo.TupleOp) -> None:
    analysis.trees[op.result] = tuple(map(analysis.of, op.val))


def unpack(analysis: AliasAnalysis, op: stablehlo.GetTupleElementOp) -> None:
    elements = analysis.of(op.operand)
    assert isinstance(elements, tuple)
    analysis.trees[op.result] = elements[op.index.value.data]


def pass_through(analysis: AliasAnalysis, op: stablehlo.OptimizationBarrierOp) -> None:
    analysis.trees.update(zip(op.results, map(analysis.of, op.operands), strict=True))


FORWARDING: Mapping[type[Operation], Callable[..., None]] = {
    DoneOp: done,
    StartOp: start,
    hlo.AsyncUpdateOp: update,
    stablehlo.GetTupleElementOp: unpack,
    stablehlo.OptimizationBarrierOp: pass_through,
    stablehlo.TupleOp: pack,
}
"""Operations that forward buffers to their results."""


@cache
def _rule_of(kind: type[Operation]) -> Callable[..., None]:
    return next((rule for base, rule in FORWARDING.items() if issubclass(kind, base)), provide_results)


def aliasing_of(block: Block) -> Aliasing:
    """The aliasing of `block`. Precondition: its module verifies."""
    analysis = AliasAnalysis(block)
    return Aliasing(analysis.trees, analysis.bundles, analysis.provided)
