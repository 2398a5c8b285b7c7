"""
Which dimensions of a module are equal, and which must keep their sizes: a table has what is special of each operation.

What is usual is in the sharding rules: the factors of an operation are the dimensions that belong together.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from xdsl.builder import Builder
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.dense_elements import is_splat
from xshardy.dialects.hlo.own_async_ops import OWN_DONES
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.building import Tensors
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.launch.leaves import Leaf, leaves_of
from xshardy.rewriting.walk import operations_from
from xshardy.tools.shrinking.asynchronous import done, start
from xshardy.tools.shrinking.atoms import equate, size_of
from xshardy.tools.shrinking.convolutions import convolution, library_convolution
from xshardy.tools.shrinking.dimensions import Dimensions
from xshardy.tools.shrinking.divided import DIVIDED, looked_up
from xshardy.tools.shrinking.divisions import Padding, keeps_padding, keeps_slice, keeps_sum, keeps_window, paddings
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.hlo.expand_library_calls import TARGETS, expand
from xshardy.transforms.hlo.library_calls.convolution import KINDS
from xshardy.transforms.hlo.library_calls.scalars import LibraryCallError
from xshardy.transforms.xla_sdy.names import FUNC_RESULT_SHARDING, SHARDING_CALL


class Constraints(Dimensions):
    """The atoms of the dimensions of all tensors of a module."""

    def __init__(self, module: ModuleOp):
        super().__init__()
        self.functions = functions_of(module)
        for function in self.functions.values():
            self.visit(function)
        self.finish()

    def visit(self, function: func.FuncOp) -> None:
        """Add what the operations of `function` say."""
        for op in operations_from(function):
            SPECIAL.get(type(op), Constraints.by_rule)(self, op)

    # -- Operations --------------------------------------------------------------------------------------------------

    def in_memory(self, op: Operation) -> None:
        """A bitcast or a reshape: the dimensions in the order of memory are one product."""
        source, target = Leaf(op.operands[0]), Leaf(op.results[0])
        orders = [leaf.layout[::-1] for leaf in (source, target)]
        if isinstance(op, stablehlo.ReshapeOp):
            orders = [range(len(order)) for order in orders]
        one, other = (
            [atom for dimension in order for atom in self.of(leaf)[dimension]]
            for leaf, order in zip((source, target), orders, strict=True)
        )
        equate(one, other)

    def constant(self, op: stablehlo.ConstantOp) -> None:
        """Equal elements have any shape."""
        if not is_splat(op.value):
            self.freeze(op.results[0])

    def call(self, op: hlo.FusionOp | func.CallOp) -> None:
        """Operands are parameters, and results what the function returns."""
        function = self.functions[op.callee.string_value()]
        end = function.get_return_op()
        assert end is not None
        for one, other in zip((*op.operands, *op.results), (*function.args, *end.operands), strict=True):
            self.equal(one, other)

    def loop(self, op: stablehlo.WhileOp) -> None:
        end = op.body.block.last_op
        assert end is not None
        for values in zip(op.operands, op.cond.block.args, op.body.block.args, end.operands, op.results, strict=True):
            for other in values[1:]:
                self.equal(values[0], other)

    def branches(self, op: stablehlo.CaseOp | stablehlo.IfOp) -> None:
        for region in op.regions:
            end = region.block.last_op
            assert end is not None
            for one, other in zip(op.results, end.operands, strict=True):
                self.equal(one, other)

    def element(self, op: stablehlo.GetTupleElementOp) -> None:
        index = op.index.value.data
        inner = [leaf for leaf in leaves_of(op.operand) if leaf.path[0] == index]
        for one, other in zip(inner, leaves_of(op.results[0]), strict=True):
            self.equal_leaves(one, other)

    def pack(self, op: stablehlo.TupleOp) -> None:
        inner = (leaf for value in op.operands for leaf in leaves_of(value))
        for one, other in zip(inner, leaves_of(op.results[0]), strict=True):
            self.equal_leaves(one, other)

    def library(self, op: stablehlo.CustomCallOp) -> None:
        """
        A convolution has its dimensions by name; a matrix product says what its expansion says. All shapes of other
        calls stay.
        """
        target = op.call_target_name.data
        if target in KINDS:
            library_convolution(self, op)
            return
        if target in ANNOTATIONS:
            self.equal(op.operands[0], op.results[0])
            return
        block = Block(arg_types=op.operand_types)
        copy = op.clone(dict(zip(op.operands, block.args, strict=True)))
        try:
            results = expand(copy, Tensors(Builder(InsertPoint.at_end(block)))) if target in TARGETS else None
        except LibraryCallError:
            results = None
        copy.erase()
        if results is None:
            self.freeze_all(op)
        else:
            self._expanded(op, block, results)

    def _expanded(self, op: stablehlo.CustomCallOp, block: Block, results: Sequence[SSAValue]) -> None:
        """What the operations in `block` say, which compute `results` from its arguments."""
        for inner in block.ops:
            SPECIAL.get(type(inner), Constraints.by_rule)(self, inner)
        for one, other in zip(op.operands, block.args, strict=True):
            self.equal(one, other)
        for one, other in zip((leaf for value in op.results for leaf in leaves_of(value)), results, strict=False):
            self.equal_leaves(one, Leaf(other))  # workspace, which has no counterpart, may have any size

    def windows(self, op: stablehlo.ReduceWindowOp) -> None:
        """What windows move over shrinks by the ratio of the result, if there are then as many positions."""
        first, *others = (Leaf(value) for value in (*op.inputs, *op.results))
        for number, window in enumerate(op.window()):
            for leaf in others:
                one, other = self.of(first)[number], self.of(leaf)[number]
                if leaf.value in op.inputs or window == WindowDimension(1):
                    equate(one, other)
                else:
                    self.tie(one, other, partial(keeps_window, window, size_of(one), size_of(other)))

    def partial_slice(self, op: stablehlo.SliceOp) -> None:
        """A dimension of which one element is taken may have any size; a larger part shrinks with the whole."""
        dims = zip(self.of(Leaf(op.operand)), self.of(Leaf(op.result)), op.strides.get_values(), strict=True)
        for one, other, stride in dims:
            if size_of(one) == size_of(other):
                equate(one, other)
            elif size_of(other) != 1:
                self.tie(one, other, partial(keeps_slice, size_of(one), size_of(other), stride))

    def padded(self, op: stablehlo.PadOp) -> None:
        """A dimension that is padded shrinks by the ratio of the result, with the same padding or a part of it."""
        for one, other, padding in zip(self.of(Leaf(op.operand)), self.of(Leaf(op.result)), paddings(op), strict=True):
            if padding == Padding():
                equate(one, other)
            else:
                self.tie(one, other, partial(keeps_padding, padding, size_of(one)))

    def joined(self, op: stablehlo.ConcatenateOp) -> None:
        """The dimensions that are concatenated shrink by one ratio."""
        result, joined = self.of(Leaf(op.results[0])), op.dimension.value.data
        keeps = partial(keeps_sum, [shape_of(value)[joined] for value in op.operands])
        for value in op.operands:
            for number, (one, other) in enumerate(zip(self.of(Leaf(value)), result, strict=True)):
                if number == joined and len(op.operands) > 1:
                    self.tie(one, other, keeps)
                else:
                    equate(one, other)

    def sliced_at_index(self, op: stablehlo.DynamicSliceOp | stablehlo.DynamicUpdateSliceOp) -> None:
        """A dimension from which one element is taken may have any size; another part shrinks with its whole."""
        whole, part = Leaf(op.operands[0]), Leaf(op.results[0])
        if isinstance(op, stablehlo.DynamicUpdateSliceOp):
            self.equal_leaves(whole, part)
            part = Leaf(op.operands[1])
        for one, other in zip(self.of(whole), self.of(part), strict=True):
            if size_of(one) == size_of(other):
                equate(one, other)
            elif size_of(other) != 1:
                self.tie(one, other)


ANNOTATIONS = frozenset({SHARDING_CALL, FUNC_RESULT_SHARDING})
"""Custom calls that annotate their operand."""

SPECIAL: Mapping[type[Operation], Callable[[Constraints, Any], None]] = {
    **DIVIDED,
    **dict.fromkeys((hlo.AsyncStartOp, *OWN_DONES), start),
    **dict.fromkeys((hlo.AsyncDoneOp, *OWN_DONES.values()), done),
    hlo.AsyncUpdateOp: lambda constraints, op: None,
    func.CallOp: Constraints.call,
    func.FuncOp: lambda constraints, op: None,
    func.ReturnOp: lambda constraints, op: None,
    hlo.BitcastOp: Constraints.in_memory,
    hlo.ElidedConstantOp: lambda constraints, op: None,
    hlo.FusionOp: Constraints.call,
    stablehlo.CaseOp: Constraints.branches,
    stablehlo.ConcatenateOp: Constraints.joined,
    stablehlo.ConstantOp: Constraints.constant,
    stablehlo.ConvolutionOp: convolution,
    stablehlo.CustomCallOp: Constraints.library,
    stablehlo.DynamicSliceOp: Constraints.sliced_at_index,
    stablehlo.DynamicUpdateSliceOp: Constraints.sliced_at_index,
    stablehlo.GatherOp: looked_up,
    stablehlo.GetTupleElementOp: Constraints.element,
    stablehlo.IfOp: Constraints.branches,
    stablehlo.IotaOp: lambda constraints, op: None,
    stablehlo.PadOp: Constraints.padded,
    stablehlo.ReduceWindowOp: Constraints.windows,
    stablehlo.ReshapeOp: Constraints.in_memory,
    stablehlo.ReturnOp: lambda constraints, op: None,
    stablehlo.SliceOp: Constraints.partial_slice,
    stablehlo.TupleOp: Constraints.pack,
    stablehlo.WhileOp: Constraints.loop,
}
"""Operations whose sharding rules say too little or too much."""
