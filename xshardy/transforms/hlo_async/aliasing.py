"""
Which values share a buffer.

Every operation puts its results into buffers of its own, but for those that only pass values on: the bundle of an
asynchronous start holds the buffers of the operands, an update passes the bundle on as it is, and the results of the
done are the outputs that the bundle has held since the start. Source: rows HLO-ASYNC-07 to -11.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias, cast

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.hlo.async_operation import DoneOp, StartOp, bundle_type
from xshardy.dialects.hlo.async_shapes import BundleShapes, write_tuple

ShapeIndex: TypeAlias = tuple[int, ...]
"""Where an array is in the shape of a value, as HLO counts: `(0, 1)` for `{0,1}`, `()` for a value that is an array."""


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """Where one array lies in memory. Numbered in the order in which the buffers of a block come into being."""

    number: int
    type: Attribute


Tree: TypeAlias = "Buffer | tuple[Tree, ...]"
"""The buffers of a value: one, or those of the elements of a tuple."""


def leaves(tree: Tree, index: ShapeIndex = ()) -> Iterator[tuple[ShapeIndex, Buffer]]:
    """The buffers in `tree`, and where they are in it."""
    if isinstance(tree, Buffer):
        yield index, tree
    else:
        for i, element in enumerate(tree):
            yield from leaves(element, (*index, i))


@dataclass(frozen=True, slots=True)
class Bundle:
    """The buffers of an operation in flight, and the opcode that started it."""

    opcode: str
    operands: tuple[Tree, ...]
    outputs: tuple[Tree, ...]
    contexts: tuple[Tree, ...]

    def tree(self) -> Tree:
        """As HLO's shape of the start has them: of `all-reduce-start`, that is the outputs alone."""
        return cast(Tree, write_tuple(self.opcode, BundleShapes(self.operands, self.outputs, self.contexts)))

    def buffers(self) -> Iterator[Buffer]:
        """All of them, also those of operands that HLO's shape does not show."""
        for _, buffer in leaves((*self.operands, *self.outputs, *self.contexts)):
            yield buffer


@dataclass(frozen=True, slots=True)
class Aliasing:
    """The buffers of a block: what each value holds, and which buffers each operation (None: the caller) provides."""

    trees: Mapping[SSAValue, Tree]
    bundles: Mapping[SSAValue, Bundle]
    provided: Mapping[Operation | None, tuple[Buffer, ...]]

    def buffers_of(self, value: SSAValue) -> Iterator[Buffer]:
        """The buffers that must be alive when `value` is read."""
        if value in self.bundles:
            yield from self.bundles[value].buffers()
        else:
            for _, buffer in leaves(self.trees[value]):
                yield buffer

    def places(self) -> Mapping[Buffer, list[tuple[SSAValue, ShapeIndex]]]:
        """Where each buffer shows, in the order of the text: values, and places in their HLO shape."""
        result: dict[Buffer, list[tuple[SSAValue, ShapeIndex]]] = {}
        for value, tree in self.trees.items():
            for index, buffer in leaves(tree):
                result.setdefault(buffer, []).append((value, index))
        return result


class AliasAnalysis:
    """Finds the `Aliasing` of a block; reads each operation once."""

    def __init__(self, block: Block):
        self.trees: dict[SSAValue, Tree] = {}
        self.bundles: dict[SSAValue, Bundle] = {}
        self.provided: dict[Operation | None, tuple[Buffer, ...]] = {}
        self._numbers = count()
        self._new: list[Buffer] = []
        for argument in block.args:
            self.trees[argument] = self.fresh(argument.type)
        self.provided[None] = self._take_new()
        for op in block.ops:
            rule = next((rule for kind, rule in PASSED_ON.items() if isinstance(op, kind)), provide_results)
            rule(self, op)
            self.provided[op] = self._take_new()

    def _take_new(self) -> tuple[Buffer, ...]:
        taken, self._new = tuple(self._new), []
        return taken

    def fresh(self, type: Attribute) -> Tree:
        """New buffers for an array, or for those in a tuple."""
        if isinstance(type, TupleType):
            return tuple(map(self.fresh, type.types.data))
        buffer = Buffer(next(self._numbers), type)
        self._new.append(buffer)
        return buffer

    def of(self, value: SSAValue) -> Tree:
        """What `value` holds. One from outside the block gets its buffers when it is first met."""
        if value not in self.trees:
            new, self._new = self._new, []
            self.trees[value] = self.fresh(value.type)
            self.provided[None] += self._take_new()
            self._new = new
        return self.trees[value]

    def set_bundle(self, value: SSAValue, bundle: Bundle) -> None:
        """`value` stands for an operation in flight."""
        self.bundles[value] = bundle
        self.trees[value] = bundle.tree()


def provide_results(analysis: AliasAnalysis, op: Operation) -> None:
    """Most operations have a buffer for each array of their results."""
    for result in op.results:
        analysis.trees[result] = analysis.fresh(result.type)


def start(analysis: AliasAnalysis, op: StartOp) -> None:
    """The bundle holds the buffers of the operands, and has buffers for outputs and contexts."""
    type = bundle_type(op.bundle)
    operands = tuple(map(analysis.of, op.inputs))
    outputs, contexts = (tuple(map(analysis.fresh, types)) for types in (type.outputs, type.contexts))
    analysis.set_bundle(op.bundle, Bundle(op.opcode, operands, outputs, contexts))


def update(analysis: AliasAnalysis, op: hlo.AsyncUpdateOp) -> None:
    """The bundle is passed on, element by element."""
    analysis.set_bundle(op.bundle, analysis.bundles[op.operand])


def done(analysis: AliasAnalysis, op: DoneOp) -> None:
    """The results are the outputs in the bundle."""
    analysis.trees.update(zip(op.outputs, analysis.bundles[op.operand].outputs, strict=True))


def pack(analysis: AliasAnalysis, op: stablehlo.TupleOp) -> None:
    analysis.trees[op.result] = tuple(map(analysis.of, op.val))


def unpack(analysis: AliasAnalysis, op: stablehlo.GetTupleElementOp) -> None:
    elements = analysis.of(op.operand)
    assert isinstance(elements, tuple)
    analysis.trees[op.result] = elements[op.index.value.data]


def pass_through(analysis: AliasAnalysis, op: stablehlo.OptimizationBarrierOp) -> None:
    analysis.trees.update(zip(op.results, map(analysis.of, op.operands), strict=True))


PASSED_ON: Mapping[type[Operation], Callable[..., None]] = {
    DoneOp: done,
    StartOp: start,
    hlo.AsyncUpdateOp: update,
    stablehlo.GetTupleElementOp: unpack,
    stablehlo.OptimizationBarrierOp: pass_through,
    stablehlo.TupleOp: pack,
}
"""Operations that do not put all of their results into buffers of their own."""


def aliasing_of(block: Block) -> Aliasing:
    """Which values of `block`, of a module that verifies, share buffers."""
    analysis = AliasAnalysis(block)
    return Aliasing(analysis.trees, analysis.bundles, analysis.provided)
