"""
Dissolve tuples: functions take and return several values, and elements of tuples are used directly.

Operations that take or give tuples as such, for example custom calls, keep theirs.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr, TupleType
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.hlo import (
    AddDependencyOp,
    AllGatherOp,
    AllReduceOp,
    AllToAllOp,
    AsyncBundleType,
    AsyncUpdateOp,
    CollectivePermuteOp,
    CopyOp,
    DomainOp,
    DoneOp,
    FusionOp,
    ReduceScatterOp,
    ScanOp,
    StartOp,
    TupleConstantOp,
)
from xshardy.dialects.hlo.async_operation import bundle_type, start_of
from xshardy.dialects.stablehlo import GetTupleElementOp, TupleOp
from xshardy.hlo_text.entry_positions import CountLeavesOfEntry
from xshardy.hlo_text.tuple_leaves import (
    all_leaf_types,
    build_tuple,
    flatten,
    leaf_attributes,
    leaves,
    of_whole,
    resolved,
    tree_from_leaves,
)
from xshardy.hlo_text.tuples import ROOT, leaf_types
from xshardy.ir.blocks import insert_arguments
from xshardy.rewriting import BACKWARD, FORWARD, PatternPass, Step, match_op_type
from xshardy.rewriting.walk import operations_from

# -- Functions with tuples ---------------------------------------------------------------------------------------------


def dissolved_functions(module: ModuleOp) -> tuple[Sequence[func.FuncOp], AbstractSet[str]]:
    """
    The functions of `module` whose tuples are dissolved, and the names of those that keep theirs.

    A function keeps its tuples if an asynchronous operation wraps it, unless it wraps a call or a fusion.
    """
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    if not any(has_tuples(function) for function in functions):
        return (), frozenset()
    wrapped = {
        op.callee.string_value()
        for function in functions
        for op in operations_from(function)
        if isinstance(op, StartOp)
    }
    whole = {
        function.sym_name.data
        for function in functions
        if function.sym_name.data in wrapped and not isinstance(function.body.block.first_op, FusionOp | func.CallOp)
    }
    return [op for op in functions if op.body.blocks and op.sym_name.data not in whole], whole


def has_tuples(function: func.FuncOp) -> bool:
    """Whether a value in `function` is a tuple."""
    return any(isinstance(type, TupleType) for type in function.function_type.inputs) or any(
        isinstance(type, TupleType) for op in operations_from(function) for type in op.result_types
    )


# -- Patterns ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SplitTupleArguments(RewritePattern):
    """`func @f(%t: tuple<a, b>)` -> `func @f(%x: a, %y: b)` with `%t = tuple(%x, %y)`, in `functions`."""

    functions: AbstractSet[func.FuncOp]

    @match_op_type
    def match_and_rewrite(self, op: func.FuncOp, rewriter: PatternRewriter, /):
        types = op.function_type.inputs.data
        if op not in self.functions or not any(isinstance(type, TupleType) for type in types):
            return
        block, attributes = op.body.block, op.arg_attrs
        kept: list[DictionaryAttr] = []
        entries = [DictionaryAttr({})] * len(types) if attributes is None else attributes.data
        for argument, entry in zip(list(block.args), entries, strict=True):
            kept += leaf_attributes(argument.type, entry)
            if isinstance(argument.type, TupleType):
                self.split(argument, rewriter)
        op.arg_attrs = ArrayAttr(kept) if any(entry.data for entry in kept) else None
        op.function_type = FunctionType.from_lists([arg.type for arg in block.args], op.function_type.outputs.data)
        rewriter.notify_op_modified(op)

    def split(self, argument: BlockArgument, rewriter: PatternRewriter) -> None:
        """Insert arguments for the elements of `argument`, a tuple, at its position, instead of it."""
        block = argument.block
        parts = insert_arguments(block, argument.index + 1, leaf_types(argument.type))
        for part in parts:
            part.name_hint = argument.name_hint
        tree = tree_from_leaves(argument.type, iter(parts))
        whole = build_tuple(tree, argument.type, InsertPoint.at_start(block), rewriter)
        rewriter.replace_all_uses_with(argument, whole)
        rewriter.erase_block_argument(argument)


class ReadElementDirectly(RewritePattern):
    """`get_tuple_element(tuple(x, y), 1)` -> `y`, if `y` is no tuple."""

    @match_op_type
    def match_and_rewrite(self, op: GetTupleElementOp, rewriter: PatternRewriter, /):
        element = resolved(op.result)
        if element is not op.result and not isinstance(element.owner, TupleOp):
            rewriter.replace(op, (), (element,))


class CallWithElements(RewritePattern):
    """`%t = call @f(tuple(x, y))` -> `%a, %b = call @f(x, y)` with `%t = tuple(%a, %b)`; fusions likewise."""

    @match_op_type
    def match_and_rewrite(self, op: FusionOp | func.CallOp, rewriter: PatternRewriter, /):
        if any(isinstance(type, TupleType) for type in (*op.operand_types, *op.result_types)):
            give_elements(op, [value for operand in op.operands for value in flatten(operand, op, rewriter)], rewriter)


class GiveElements(RewritePattern):
    """
    `%t = all_to_all(x, y)` -> `%a, %b = all_to_all(x, y)` with `%t = tuple(%a, %b)`; scans likewise.

    Not a tuple of one, which HLO text tells from its element, nor where operands are tuples: slices that are permuted.
    """

    @match_op_type
    def match_and_rewrite(
        self,
        op: AllGatherOp | AllReduceOp | AllToAllOp | CollectivePermuteOp | ReduceScatterOp | ScanOp,
        rewriter: PatternRewriter,
        /,
    ):
        if any(isinstance(type, TupleType) for type in op.operand_types) or len(op.results) != 1:
            return
        if isinstance(type := op.results[0].type, TupleType) and len(type.types) > 1:
            give_elements(op, op.operands, rewriter)


def give_elements(op: Operation, operands: Sequence[SSAValue], rewriter: PatternRewriter) -> None:
    """Replace `op` by the same of `operands`, with the elements of tuples as results, and tuples of these."""
    made = type(op).create(
        operands=operands,
        result_types=list(all_leaf_types(op.result_types)),
        properties=op.properties,
        attributes=op.attributes,
    )
    rewriter.insert(made)
    values = iter(made.results)
    wholes: list[SSAValue] = []
    for result in op.results:
        tree = tree_from_leaves(result.type, values)
        for part in leaves(tree):
            part.name_hint = result.name_hint
        wholes.append(build_tuple(tree, result.type, InsertPoint.before(op), rewriter))
    rewriter.replace(op, (), wholes)


class PassElements(RewritePattern):
    """`%t = copy(tuple(x, y))` -> `%a = copy(x); %b = copy(y)` with `%t = tuple(%a, %b)`; what orders likewise."""

    @match_op_type
    def match_and_rewrite(self, op: CopyOp | AddDependencyOp | DomainOp, rewriter: PatternRewriter, /):
        if not isinstance(op.result.type, TupleType):
            return
        values = flatten(op.operand, op, rewriter)
        made: list[SSAValue] = []
        of_leaves = leaf_attributes(op.result.type, DictionaryAttr(op.attributes))
        for value, attributes in zip(values, of_leaves, strict=True):
            copied = type(op).create(
                operands=[value, *op.operands[1:]],
                result_types=[value.type],
                properties=op.properties,
                attributes={**of_whole(op.attributes), **attributes.data},
            )
            rewriter.insert(copied)
            copied.results[0].name_hint = op.result.name_hint
            made.append(copied.results[0])
        tree = tree_from_leaves(op.result.type, iter(made))
        rewriter.replace(op, (), (build_tuple(tree, op.result.type, InsertPoint.before(op), rewriter),))


class TupleOfConstants(RewritePattern):
    """`tuple_constant(x, y)` -> `tuple(x, y)`"""

    @match_op_type
    def match_and_rewrite(self, op: TupleConstantOp, rewriter: PatternRewriter, /):
        tree = tree_from_leaves(op.result.type, iter(op.parts))
        rewriter.replace(op, (), (build_tuple(tree, op.result.type, InsertPoint.before(op), rewriter),))


@dataclass(frozen=True)
class StartWithElements(RewritePattern):
    """`async_start @f(tuple(x, y))` -> `async_start @f(x, y)`, unless `@f` keeps its tuples."""

    whole: AbstractSet[str]

    @match_op_type
    def match_and_rewrite(self, op: StartOp, rewriter: PatternRewriter, /):
        if op.callee.string_value() in self.whole:
            return
        bundle = bundle_type(op.bundle)
        types = AsyncBundleType.of(
            list(all_leaf_types(bundle.operands)), list(all_leaf_types(bundle.outputs)), bundle.contexts
        )
        if types != bundle:
            op.operands = [value for operand in op.operands for value in flatten(operand, op, rewriter)]
            rewriter.replace_value_with_new_type(op.bundle, types)


@dataclass(frozen=True)
class UpdateOfElements(RewritePattern):
    """
    `async_update(b)` -> the same with the current type of the bundle `b`.

    `async_update(b, tuple(x, y))` -> `async_update(b, x, y)`, unless the function started keeps its tuples.
    """

    whole: AbstractSet[str]

    @match_op_type
    def match_and_rewrite(self, op: AsyncUpdateOp, rewriter: PatternRewriter, /):
        start = start_of(op.operand)
        assert start is not None
        if start.callee.string_value() not in self.whole:
            inputs = [value for operand in op.inputs for value in flatten(operand, op, rewriter)]
            if inputs != [*op.inputs]:
                op.operands = [op.operand, *inputs]
        type = bundle_type(op.operand).with_operands(op.inputs.types)
        if op.bundle.type != type:
            rewriter.replace_value_with_new_type(op.bundle, type)


class DoneWithElements(RewritePattern):
    """`%t = async_done(b)` -> `%x, %y = async_done(b)` with `%t = tuple(%x, %y)`, where the bundle `b` has both."""

    @match_op_type
    def match_and_rewrite(self, op: DoneOp, rewriter: PatternRewriter, /):
        if bundle_type(op.operand).outputs == tuple(op.result_types):
            return
        made = type(op)(op.operand)
        made.attributes.update(op.attributes)
        rewriter.insert(made)
        values = iter(made.results)
        trees = [(tree_from_leaves(result.type, values), result.type) for result in op.results]
        wholes = [build_tuple(tree, type, InsertPoint.before(op), rewriter) for tree, type in trees]
        rewriter.replace(op, (), wholes)


class ReturnElements(RewritePattern):
    """`return tuple(x, y)` -> `return x, y`; keeps the name of the tuple and updates the function type."""

    @match_op_type
    def match_and_rewrite(self, op: func.ReturnOp, rewriter: PatternRewriter, /):
        function = op.parent_op()
        if not any(isinstance(type, TupleType) for type in op.operand_types) or not isinstance(function, func.FuncOp):
            return
        if len(op.operands) == 1 and (name := op.operands[0].name_hint) is not None:
            op.attributes[ROOT] = StringAttr(name)
        if function.res_attrs is not None:
            entries = zip(op.operand_types, function.res_attrs.data, strict=True)
            function.res_attrs = ArrayAttr([leaf for type, entry in entries for leaf in leaf_attributes(type, entry)])
        op.operands = [value for operand in op.operands for value in flatten(operand, op, rewriter)]
        function.function_type = FunctionType.from_lists(function.function_type.inputs.data, list(op.operand_types))
        rewriter.notify_op_modified(op)


class EraseUnreadTuple(RewritePattern):
    """`tuple(x, y)`, or an element of it that is a tuple -> nothing, if unused."""

    @match_op_type
    def match_and_rewrite(self, op: TupleOp | GetTupleElementOp, rewriter: PatternRewriter, /):
        if op.result.first_use is None and (isinstance(op, TupleOp) or resolved(op.result) is not op.result):
            rewriter.erase(op)


# -- The pass ---------------------------------------------------------------------------------------------------------


class DissolveTuplesPass(PatternPass):
    """Replace tuples of functions, calls, fusions, scans and collectives by several values; use elements directly."""

    name = "hlo-dissolve-tuples"
    source: ClassVar[str] = "XLA, from HLO to StableHLO: functions of several values in place of tuples"

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        functions, whole = dissolved_functions(module)
        yield Step((CountLeavesOfEntry(),))
        yield Step((SplitTupleArguments(frozenset(functions)),))
        dissolve = (
            ReadElementDirectly(),
            CallWithElements(),
            GiveElements(),
            PassElements(),
            TupleOfConstants(),
            StartWithElements(whole),
            UpdateOfElements(whole),
            DoneWithElements(),
            ReturnElements(),
        )
        yield Step(dissolve, FORWARD, functions)
        yield Step((EraseUnreadTuple(),), BACKWARD, functions)


def dissolve_tuples(module: ModuleOp) -> None:
    """Dissolve the tuples in `module`, in place."""
    DissolveTuplesPass().rewrite_module(module)
