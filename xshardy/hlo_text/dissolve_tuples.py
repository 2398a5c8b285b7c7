"""
Tuples, dissolved: functions take and return several values, and what is put into a tuple is used directly.

Operations that take or give tuples as such, custom calls say, keep theirs.
"""

from collections.abc import Iterator, Sequence, Set
from typing import TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr, TupleType, UnitAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from xshardy.dialects.hlo import LAYOUT, MEMORY, AsyncBundleType, AsyncUpdateOp, DoneOp, FusionOp, StartOp
from xshardy.dialects.hlo.async_operation import bundle_type
from xshardy.dialects.hlo.instruction import elements
from xshardy.dialects.stablehlo import GetTupleElementOp, TupleOp

Tree: TypeAlias = "SSAValue | tuple[Tree, ...]"
"""A value, or the elements of a tuple."""

ROOT = "hlo.root"
"""The name of the tuple that a function returned."""


class DissolveTuplesPass(ModulePass):
    """Give functions, calls and fusions several values in place of tuples; use the elements of tuples directly."""

    name = "hlo-dissolve-tuples"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        dissolve_tuples(op)


def dissolve_tuples(module: ModuleOp) -> None:
    """Dissolve the tuples in `module`, in place."""
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    if not any(has_tuples(function) for function in functions):
        return
    wrapped = {op.callee.string_value() for function in functions for op in function.walk() if isinstance(op, StartOp)}
    whole = {
        function.sym_name.data
        for function in functions
        if function.sym_name.data in wrapped and not isinstance(function.body.block.first_op, FusionOp | func.CallOp)
    }
    for function in functions:
        if function.body.blocks and function.sym_name.data not in whole:
            FunctionDissolver(function, whole).run()


def has_tuples(function: func.FuncOp) -> bool:
    """Whether a value in `function` is a tuple."""
    return any(isinstance(type, TupleType) for type in function.function_type.inputs) or any(
        isinstance(type, TupleType) for op in function.walk() for type in op.result_types
    )


def leaf_types(types: Sequence[Attribute]) -> Iterator[Attribute]:
    """The types among `types`, and in tuples among them, that are no tuples."""
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


def grow(type: Attribute, values: Iterator[SSAValue]) -> Tree:
    """A tree of the form of `type` of the next of `values`."""
    if isinstance(type, TupleType):
        return tuple(grow(part, values) for part in elements(type))
    return next(values)


class FunctionDissolver:
    """Dissolves the tuples in one function."""

    def __init__(self, function: func.FuncOp, whole: Set[str]):
        self.function = function
        self.whole = whole
        """Functions that asynchronous operations wrap and that take and give tuples as such."""
        self.trees: dict[SSAValue, Tree] = {}
        """What each tuple consists of."""
        self.dead: list[Operation] = []
        """Operations of tuples, which nothing may read any more."""

    def run(self) -> None:
        """Dissolve the tuples of the function, its arguments and its results."""
        self.dissolve_arguments()
        for op in list(self.function.walk()):
            match op:
                case TupleOp():
                    self.trees[op.result] = tuple(map(self.tree, op.val))
                    self.dead.append(op)
                case GetTupleElementOp():
                    self.read_element(op)
                case FusionOp() | func.CallOp():
                    self.dissolve_call(op)
                case StartOp() if op.callee.string_value() not in self.whole:
                    self.dissolve_start(op)
                case AsyncUpdateOp():
                    Rewriter.replace_value_with_new_type(op.bundle, op.operand.type)
                case DoneOp():
                    self.dissolve_done(op)
                case func.ReturnOp():
                    self.dissolve_return(op)
                case _:
                    pass
        for op in reversed(self.dead):
            if not any(result.uses for result in op.results):
                Rewriter.erase_op(op)
        block = self.function.body.block
        returned = self.function.get_return_op()
        results = self.function.function_type.outputs.data if returned is None else returned.operand_types
        self.function.function_type = FunctionType.from_lists([arg.type for arg in block.args], list(results))

    def tree(self, value: SSAValue) -> Tree:
        """What `value` consists of; of a tuple that is not dissolved, its elements are read in front of their use."""
        return self.trees.get(value, value)

    def dissolve_arguments(self) -> None:
        """Arguments that are tuples become several."""
        block = self.function.body.block
        types = self.function.function_type.inputs.data
        if not any(isinstance(type, TupleType) for type in types):
            return
        attributes = self.function.arg_attrs
        kept: list[DictionaryAttr] = []
        for number, argument in enumerate(list(block.args)):
            data = {} if attributes is None else dict(attributes.data[number].data)
            if not isinstance(argument.type, TupleType):
                kept.append(DictionaryAttr(data))
                continue
            parts = self.split_argument(block, argument)
            kept += [DictionaryAttr(element_attributes(data, i)) for i in range(len(parts))]
        self.function.arg_attrs = ArrayAttr(kept) if any(entry.data for entry in kept) else None

    def split_argument(self, block: Block, argument: SSAValue) -> list[SSAValue]:
        """Arguments for the elements of `argument`, a tuple, in its place."""
        index = next(i for i, other in enumerate(block.args) if other is argument)
        types = list(leaf_types([argument.type]))
        parts: list[SSAValue] = []
        for i, type in enumerate(types):
            part = block.insert_arg(type, index + 1 + i)
            part.name_hint = argument.name_hint
            parts.append(part)
        tree = grow(argument.type, iter(parts))
        whole = self.put_together(tree, argument.type, InsertPoint.at_start(block))
        argument.replace_all_uses_with(whole)
        block.erase_arg(block.args[index])
        return parts

    def put_together(self, tree: Tree, type: Attribute, place: InsertPoint) -> SSAValue:
        """The tuple of `tree`, for operations that want it whole; it is erased if there are none."""
        if isinstance(tree, SSAValue):
            return tree
        made = TupleOp(
            [self.put_together(part, inner, place) for part, inner in zip(tree, elements(type), strict=True)]
        )
        Rewriter.insert_op(made, place)
        self.trees[made.result] = tree
        self.dead.append(made)
        return made.result

    def read_element(self, op: GetTupleElementOp) -> None:
        """`get_tuple_element(tuple(x, y), 1)` -> `y`"""
        tree = self.tree(op.operand)
        if isinstance(tree, SSAValue):
            return
        element = tree[op.index.value.data]
        self.dead.append(op)
        if isinstance(element, SSAValue):
            op.result.replace_all_uses_with(element)
        else:
            self.trees[op.result] = element

    def flatten(self, value: SSAValue, before: Operation) -> list[SSAValue]:
        """The values in `value`, which `before` uses."""
        tree = self.tree(value)
        if isinstance(tree, SSAValue) and isinstance(tree.type, TupleType):
            found: list[SSAValue] = []
            for i in range(len(elements(tree.type))):
                element = GetTupleElementOp(tree, i)
                Rewriter.insert_op(element, InsertPoint.before(before))
                found += self.flatten(element.result, before)
            return found
        return list(leaves(tree))

    def dissolve_call(self, op: FusionOp | func.CallOp) -> None:
        """A call of several values, that gives several."""
        if not any(isinstance(type, TupleType) for type in (*op.operand_types, *op.result_types)):
            return
        operands = [value for operand in op.operands for value in self.flatten(operand, op)]
        made = type(op).create(
            operands=operands,
            result_types=list(leaf_types(op.result_types)),
            properties=op.properties,
            attributes=op.attributes,
        )
        values = iter(made.results)
        Rewriter.insert_op(made, InsertPoint.before(op))
        for result in op.results:
            tree = grow(result.type, values)
            for part in leaves(tree):
                part.name_hint = result.name_hint
            whole = self.put_together(tree, result.type, InsertPoint.before(op))
            result.replace_all_uses_with(whole)
        Rewriter.erase_op(op)

    def dissolve_start(self, op: StartOp) -> None:
        """A start of several values."""
        bundle = bundle_type(op.bundle)
        types = AsyncBundleType.of(list(leaf_types(bundle.operands)), list(leaf_types(bundle.outputs)), bundle.contexts)
        if types != bundle:
            op.operands = [value for operand in op.operands for value in self.flatten(operand, op)]
            Rewriter.replace_value_with_new_type(op.bundle, types)

    def dissolve_done(self, op: DoneOp) -> None:
        """A done that gives several values, if its bundle holds them."""
        types = bundle_type(op.operand).outputs
        if types == tuple(op.result_types):
            return
        made = type(op)(op.operand)
        made.attributes.update(op.attributes)
        Rewriter.insert_op(made, InsertPoint.before(op))
        values = iter(made.results)
        for result in op.results:
            tree = grow(result.type, values)
            result.replace_all_uses_with(self.put_together(tree, result.type, InsertPoint.before(op)))
        Rewriter.erase_op(op)

    def dissolve_return(self, op: func.ReturnOp) -> None:
        """A return of several values, that remembers what the tuple of them was called."""
        if not any(isinstance(type, TupleType) for type in op.operand_types):
            return
        if len(op.operands) == 1 and (name := op.operands[0].name_hint) is not None:
            op.attributes[ROOT] = StringAttr(name)
        op.operands = [value for operand in op.operands for value in self.flatten(operand, op)]


def element_attributes(attributes: dict[str, Attribute], index: int) -> dict[str, Attribute]:
    """What the attributes of a tuple say of its element number `index`."""
    found: dict[str, Attribute] = {}
    for name in (LAYOUT, MEMORY):
        entries = attributes.get(name)
        if isinstance(entries, ArrayAttr):
            found[name] = cast(ArrayAttr[Attribute], entries).data[index]
    return {name: value for name, value in found.items() if value not in (StringAttr(""), UnitAttr())}
