"""The common part of scatter kernels: read index vectors and updates, and write elements."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import tensor
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Region, SSAValue
from xdsl.rewriter import Rewriter

from xshardy.dialects import hlo
from xshardy.dialects.stablehlo.scatter import ScatterOp
from xshardy.dialects.stablehlo.types import bit_width
from xshardy.dialects.xla_gpu.ops import AtomicRMWOp, PureCallOp, YieldOp
from xshardy.emitters.analysis import Emission, Fusion, behind_bitcasts
from xshardy.emitters.elemental.kinds import element_type_of
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices, apply_map
from xshardy.emitters.kernel import Kernel, Values
from xshardy.emitters.launch_dimensions import LaunchDimensions
from xshardy.emitters.partition import RootGroup
from xshardy.emitters.scatter.slices import Slices
from xshardy.emitters.subgraph import emit_subgraph
from xshardy.indexing.tensor_maps import bitcast_map

WIDEST_EXCHANGE = 64
"""The widest atomic update, in bits."""


@dataclass(frozen=True, eq=False)
class ScatterFusion:
    """A fusion whose results are those of a scatter, possibly bitcast."""

    fusion: Fusion
    op: ScatterOp

    @staticmethod
    def of(fusion: Fusion) -> "ScatterFusion | None":
        """`fusion` as a scatter fusion; None if it is no such fusion."""
        results = [behind_bitcasts(root) for root in fusion.roots]
        op = results[0].owner
        return ScatterFusion(fusion, op) if isinstance(op, ScatterOp) and results == list(op.results) else None

    @property
    def slices(self) -> Slices:
        return Slices(self.op)

    @property
    def is_unique(self) -> bool:
        """Whether all updates go to distinct elements: the scatter states unique indices, or has a single slice."""
        return bool(self.op.unique_indices) or self.slices.count == 1

    @property
    def in_place_parameters(self) -> list[BlockArgument]:
        """The parameters that hold the operands, except those with other readers."""
        parameters = [_only_reader(value) for value in self.op.inputs]
        return [parameter for parameter in parameters if parameter is not None]

    @property
    def reason_not_in_place(self) -> str | None:
        """The reason why the scatter cannot be done in place; None if it can."""
        if len(self.in_place_parameters) < len(self.op.inputs):
            return "an operand is not a parameter, or read for something else as well"
        if len(self.op.inputs) > 1 and not self.is_unique:
            return f"no atomic operation updates elements of {len(self.op.inputs)} tensors together"
        element = element_type_of(self.op.inputs[0].type)
        if not self.is_unique and bit_width(element) > WIDEST_EXCHANGE:
            return f"no atomic operation updates the {bit_width(element)} bits of an element"
        return None


def _only_reader(value: SSAValue) -> BlockArgument | None:
    """The parameter that `value` is a view of, if this view is its only use."""
    while isinstance(value.owner, hlo.BitcastOp) and value.has_one_use():
        value = value.owner.operand
    return value if isinstance(value, BlockArgument) and value.has_one_use() else None


class ScatterKernel(Kernel):
    """The kernel of an in-place scatter."""

    def __init__(self, scatter: ScatterFusion, launch: LaunchDimensions, name: str):
        self.op, self.slices, self.is_unique = scatter.op, scatter.slices, scatter.is_unique
        groups = [RootGroup.same_indices([self.op.scatter_indices]), RootGroup.same_indices(self.op.updates)]
        if self.is_unique:
            groups.append(RootGroup.same_indices(self.op.inputs))
        aliases = {number: parameter.index for number, parameter in enumerate(scatter.in_place_parameters)}
        super().__init__(scatter.fusion.computation, groups, launch, name, heroes=[self.op], aliases=aliases)

    def index_vector(self, s: Scalars, number: Indices) -> list[SSAValue]:
        """The components of the index vector of slice `number`."""
        function = self.parts.subgraphs[0]
        return [self.call(s, function, at)[0] for at in self.slices.index_vector(s, number)]

    def updates(self, s: Scalars, number: Indices, inside: Indices) -> Values:
        """The updates at indices `inside` of slice `number`, one per operand."""
        return self.call(s, self.parts.subgraphs[1], self.slices.update_indices(number, inside))

    def write(self, s: Scalars, at: Indices, elements: Values, outputs: Values) -> Sequence[SSAValue]:
        """
        Combine `elements` with the outputs at one index, atomically unless updates are unique; returns the updated
        outputs.
        """
        views = zip(self.op.results, self.roots, strict=True)
        places = [apply_map(s, bitcast_map(result, root), at) for result, root in views]
        if self.is_unique:
            current = self.call(s, self.parts.subgraphs[2], at)
            combined = self.combined(s, current, elements)
            return [s(tensor.InsertOp(*update)) for update in zip(combined, outputs, places, strict=True)]
        ((output,), (element,), (place,)) = outputs, elements, places
        block = Block(arg_types=[element.type])
        inner = Scalars.at_end(block)
        inner.builder.insert(YieldOp(*self.combined(inner, block.args, [element])))
        return [s(AtomicRMWOp(output, place, Region(block)))]

    def combined(self, s: Scalars, before: Values, elements: Values) -> Values:
        """Combine the elements `before` and `elements`; the computation is inlined at `s`, not called."""
        partition = self.parts.applied[self.op]
        body = emit_subgraph(partition, partition.root).body.block
        last = body.last_op
        assert last is not None
        Rewriter.inline_block(body, s.builder.insertion_point, [*before, *elements])
        results = tuple(last.operands)
        Rewriter.erase_op(last)
        return results

    def module(self, updated: Values) -> Emission:
        """As `Kernel.module`, without the combining function if all its uses were inlined."""
        emission = super().module(updated)
        name = self.parts.applied[self.op].root.name
        called = {op.callee.string_value() for op in emission.module.walk() if isinstance(op, PureCallOp)}
        for function in emission.module.ops:
            if isinstance(function, FuncOp) and function.sym_name.data == name and name not in called:
                Rewriter.erase_op(function)
        return emission
