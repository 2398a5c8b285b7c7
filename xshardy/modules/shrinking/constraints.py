"""
Which dimensions of a module are equal, and which must keep their sizes: a table has what is special of each operation.

What is usual is in the sharding rules: the factors of an operation are the dimensions that belong together.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod as product
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
from xshardy.modules.leaves import Leaf, leaves_of
from xshardy.modules.shrinking.asynchronous import done, start
from xshardy.modules.shrinking.atoms import Atom, equate, freeze, tie
from xshardy.modules.shrinking.dimensions import Dimensions
from xshardy.modules.shrinking.divided import DIVIDED, looked_up
from xshardy.rewriting.walk import operations_from
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.hlo.expand_library_calls import TARGETS, expand, geometry
from xshardy.transforms.hlo.library_calls.convolution import KINDS
from xshardy.transforms.hlo.library_calls.scalars import LibraryCallError


class Constraints(Dimensions):
    """The atoms of the dimensions of all tensors of a module."""

    def __init__(self, module: ModuleOp):
        super().__init__()
        self.functions = functions_of(module)
        for function in self.functions.values():
            self.visit(function)

    def visit(self, function: func.FuncOp) -> None:
        """Add what the operations of `function` say."""
        for op in operations_from(function):
            SPECIAL.get(type(op), Constraints.by_rule)(self, op)

    # -- Operations --------------------------------------------------------------------------------------------------

    def in_memory(self, op: Operation) -> None:
        """A bitcast or a reshape: the dimensions in the order of memory are one product."""
        source, target = Leaf(op.operands[0]), Leaf(op.results[0])
        if isinstance(op, hlo.BitcastOp) and source.size != target.size:
            self.freeze(source.value)
            self.freeze(target.value)
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
            self._convolution(op)
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

    def _convolution(self, op: stablehlo.CustomCallOp) -> None:
        """Source: `transforms/hlo/library_calls/convolution.py`, which has the places of the three tensors."""
        call = geometry(op)
        first, second, *others = map(Leaf, op.operands)
        result = next(leaves_of(op.results[0]))
        places = {
            "__cudnn$convBackwardFilter": (first, result, second),
            "__cudnn$convBackwardInput": (result, second, first),
        }
        leaves = places.get(op.call_target_name.data, (first, second, result))
        x, w, y = (self.of(leaf) for leaf in leaves)
        at = [
            {label: dims[i] for i, label in enumerate(labels)}
            for labels, dims in zip(call.labels, (x, w, y), strict=True)
        ]
        equate(at[0]["b"], at[2]["b"])
        equate(at[1]["o"], at[2]["f"])
        if call.groups == 1:
            equate(at[0]["f"], at[1]["i"])
        else:
            freeze([*at[0]["f"], *at[1]["o"]])
        for label, window in enumerate(call.window):
            freeze(at[1][str(label)])
            tie(at[0][str(label)], at[2][str(label)], partial(fits, window, at[0][str(label)], at[2][str(label)]))
        for bias in others[:1]:
            equate(self.of(bias)[0], at[2]["f"])
        for side in others[1:]:
            self.equal_leaves(side, result)

    def windows(self, op: stablehlo.ReduceWindowOp) -> None:
        """What windows move over shrinks by the ratio of the result, if there are then as many positions."""
        moved = [number for number, window in enumerate(op.window()) if window != WindowDimension(1)]
        results = [Leaf(value) for value in op.results]
        operands = [Leaf(value) for value in op.inputs]
        for number, window in enumerate(op.window()):
            for leaf in (*operands, *results):
                one, other = self.of(operands[0])[number], self.of(leaf)[number]
                if number not in moved or leaf in operands:
                    equate(one, other)
                else:
                    tie(one, other, partial(fits, window, one, other))

    def partial_slice(self, op: stablehlo.SliceOp) -> None:
        """A dimension of which a part is taken keeps its size, and so does the part."""
        for number, (one, other) in enumerate(zip(self.of(Leaf(op.operand)), self.of(Leaf(op.result)), strict=True)):
            if shape_of(op.operand)[number] == shape_of(op.result)[number]:
                equate(one, other)
            else:
                freeze([*one, *other])

    def padded(self, op: stablehlo.PadOp) -> None:
        """The same of a dimension that is padded."""
        for number, (one, other) in enumerate(zip(self.of(Leaf(op.operand)), self.of(Leaf(op.result)), strict=True)):
            if any(amounts.get_values()[number] for amounts in (op.edge_padding_low, op.edge_padding_high)):
                freeze([*one, *other])
            else:
                equate(one, other)

    def joined(self, op: stablehlo.ConcatenateOp) -> None:
        """The same of the dimension that is concatenated."""
        for value in op.operands:
            for number, (one, other) in enumerate(zip(self.of(Leaf(value)), self.of(Leaf(op.results[0])), strict=True)):
                if number == op.dimension.value.data:
                    freeze([*one, *other])
                else:
                    equate(one, other)

    def sliced_at_index(self, op: stablehlo.DynamicSliceOp | stablehlo.DynamicUpdateSliceOp) -> None:
        """A dimension from which one element is taken may have any size; another part and its whole keep theirs."""
        whole, part = Leaf(op.operands[0]), Leaf(op.results[0])
        if isinstance(op, stablehlo.DynamicUpdateSliceOp):
            self.equal_leaves(whole, part)
            part = Leaf(op.operands[1])
        for one, other in zip(self.of(whole), self.of(part), strict=True):
            sizes = [product(atom.size for atom in atoms) for atoms in (one, other)]
            if sizes[0] == sizes[1]:
                equate(one, other)
            elif sizes[1] != 1:
                freeze([*one, *other])


def fits(window: WindowDimension, moved: Sequence[Atom], result: Sequence[Atom], ratio: int) -> bool:
    """Whether the window has the positions of the result if both dimensions are divided by `ratio`."""
    sizes = [product(atom.size for atom in atoms) for atoms in (moved, result)]
    return window.positions(sizes[0] // ratio) == sizes[1] // ratio


SPECIAL: Mapping[type[Operation], Callable[[Constraints, Any], None]] = {
    **DIVIDED,
    **dict.fromkeys((hlo.AsyncStartOp, *OWN_DONES), start),
    **dict.fromkeys((hlo.AsyncDoneOp, *OWN_DONES.values()), done),
    hlo.AsyncUpdateOp: lambda constraints, op: None,
    func.CallOp: Constraints.call,
    func.FuncOp: lambda constraints, op: None,
    func.ReturnOp: lambda constraints, op: None,
    hlo.BitcastOp: Constraints.in_memory,
    hlo.FusionOp: Constraints.call,
    stablehlo.CaseOp: Constraints.branches,
    stablehlo.ConcatenateOp: Constraints.joined,
    stablehlo.ConstantOp: Constraints.constant,
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
