"""
Dissolve tuples: functions take and return several values, and elements of tuples are used directly.

Operations that take or give tuples as such, for example custom calls, keep theirs.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr, TupleType, UnitAttr
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from xshardy.axes.hlo_sharding_parser import leaf_texts
from xshardy.dialects.hlo import LAYOUT, MEMORY, AsyncBundleType, AsyncUpdateOp, DoneOp, FusionOp, StartOp
from xshardy.dialects.hlo.annotation_names import SHARDING
from xshardy.dialects.hlo.async_operation import bundle_type
from xshardy.dialects.hlo.instruction import elements
from xshardy.dialects.stablehlo import GetTupleElementOp, TupleOp
from xshardy.hlo_text.entry_positions import CountLeavesOfEntry
from xshardy.hlo_text.tuples import ROOT
from xshardy.rewriting import BACKWARD, FORWARD, PatternPass, Step, match_op_type
from xshardy.rewriting.walk import operations_from

Tree: TypeAlias = "SSAValue | tuple[Tree, ...]"
"""A value, or the elements of a tuple."""


# -- Contents of tuples -----------------------------------------------------------------------------------------------


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


def leaf_types(types: Sequence[Attribute]) -> Iterator[Attribute]:
    """The types in `types` that are not tuples, with tuples flattened."""
    for type in types:
        if isinstance(type, TupleType):
            yield from leaf_types(elements(type))
        else:
            yield type


def leaves(tree: Tree) -> Iterator[SSAValue]:
    """The values in `tree`, in order."""
    if isinstance(tree, SSAValue):
        yield tree
    else:
        for part in tree:
            yield from leaves(part)


def tree_from_leaves(type: Attribute, values: Iterator[SSAValue]) -> Tree:
    """A tree with the structure of `type`, filled from `values`."""
    if isinstance(type, TupleType):
        return tuple(tree_from_leaves(part, values) for part in elements(type))
    return next(values)


def resolved(value: SSAValue) -> SSAValue:
    """`value`, or the element that it denotes if it is an element of a tuple built in this function."""
    while isinstance(owner := value.owner, GetTupleElementOp):
        whole = resolved(owner.operand).owner
        if not isinstance(whole, TupleOp):
            break
        value = whole.operands[owner.index.value.data]
    return value


def tree_of(value: SSAValue) -> Tree:
    """The tree of `value`: a tuple built in the function is the tree of its elements."""
    value = resolved(value)
    return tuple(map(tree_of, value.owner.operands)) if isinstance(value.owner, TupleOp) else value


def build_tuple(tree: Tree, type: Attribute, place: InsertPoint, rewriter: PatternRewriter) -> SSAValue:
    """Build the tuple of `tree` for users that need the whole tuple; erased if there are none."""
    if isinstance(tree, SSAValue):
        return tree
    parts = [build_tuple(part, inner, place, rewriter) for part, inner in zip(tree, elements(type), strict=True)]
    return rewriter.insert(TupleOp(parts), place).result


def flatten(value: SSAValue, before: Operation, rewriter: PatternRewriter) -> list[SSAValue]:
    """The values in `value`, a use of `before`. Elements of a tuple that is not dissolved are extracted before it."""
    tree = tree_of(value)
    if not isinstance(tree, SSAValue) or not isinstance(tree.type, TupleType):
        return list(leaves(tree))
    found: list[SSAValue] = []
    for i in range(len(elements(tree.type))):
        element = rewriter.insert(GetTupleElementOp(tree, i), InsertPoint.before(before))
        found += flatten(element.result, before, rewriter)
    return found


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
        parts: list[SSAValue] = []
        for i, type in enumerate(leaf_types([argument.type])):
            part = rewriter.insert_block_argument(block, argument.index + 1 + i, type)
            part.name_hint = argument.name_hint
            parts.append(part)
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
        if not any(isinstance(type, TupleType) for type in (*op.operand_types, *op.result_types)):
            return
        operands = [value for operand in op.operands for value in flatten(operand, op, rewriter)]
        made = type(op).create(
            operands=operands,
            result_types=list(leaf_types(op.result_types)),
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


@dataclass(frozen=True)
class StartWithElements(RewritePattern):
    """`async_start @f(tuple(x, y))` -> `async_start @f(x, y)`, unless `@f` keeps its tuples."""

    whole: AbstractSet[str]

    @match_op_type
    def match_and_rewrite(self, op: StartOp, rewriter: PatternRewriter, /):
        if op.callee.string_value() in self.whole:
            return
        bundle = bundle_type(op.bundle)
        types = AsyncBundleType.of(list(leaf_types(bundle.operands)), list(leaf_types(bundle.outputs)), bundle.contexts)
        if types != bundle:
            op.operands = [value for operand in op.operands for value in flatten(operand, op, rewriter)]
            rewriter.replace_value_with_new_type(op.bundle, types)


class UpdateOfElements(RewritePattern):
    """`async_update(b)` -> the same with the current type of the bundle `b`."""

    @match_op_type
    def match_and_rewrite(self, op: AsyncUpdateOp, rewriter: PatternRewriter, /):
        if op.bundle.type != op.operand.type:
            rewriter.replace_value_with_new_type(op.bundle, op.operand.type)


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
    """Replace tuples in functions, calls and fusions by several values; use the elements of tuples directly."""

    name = "hlo-dissolve-tuples"
    source: ClassVar[str] = "XLA, from HLO to StableHLO: functions of several values in place of tuples"

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        functions, whole = dissolved_functions(module)
        yield Step((CountLeavesOfEntry(),))
        yield Step((SplitTupleArguments(frozenset(functions)),))
        dissolve = (
            ReadElementDirectly(),
            CallWithElements(),
            StartWithElements(whole),
            UpdateOfElements(),
            DoneWithElements(),
            ReturnElements(),
        )
        yield Step(dissolve, FORWARD, functions)
        yield Step((EraseUnreadTuple(),), BACKWARD, functions)


def dissolve_tuples(module: ModuleOp) -> None:
    """Dissolve the tuples in `module`, in place."""
    DissolveTuplesPass().rewrite_module(module)


def leaf_attributes(type: Attribute, attributes: DictionaryAttr) -> list[DictionaryAttr]:
    """The attributes of each leaf of an argument or result of `type` with `attributes`; its own if it is no tuple."""
    if not isinstance(type, TupleType):
        return [attributes]
    count = len([*leaf_types([type])])
    leaves: list[dict[str, Attribute]] = [{} for _ in range(count)]
    for name in (LAYOUT, MEMORY):
        if isinstance(entries := attributes.data.get(name), ArrayAttr):
            for leaf, entry in zip(leaves, cast(ArrayAttr[Attribute], entries), strict=True):
                leaf[name] = entry
    if isinstance(sharding := attributes.data.get(SHARDING), StringAttr):
        texts = leaf_texts(sharding.data, count)
        if len(texts) != count:
            raise PassFailedException(f"the sharding {sharding.data} has {len(texts)} parts, its value {count}")
        for leaf, text in zip(leaves, texts, strict=True):
            leaf[SHARDING] = StringAttr(text)
    absent = (StringAttr(""), UnitAttr())
    return [DictionaryAttr({name: value for name, value in leaf.items() if value not in absent}) for leaf in leaves]
