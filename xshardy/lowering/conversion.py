"""
Patterns that convert operations to the llvm dialect.

A `ConversionPattern` gets its operands as values of LLVM types, and returns values of LLVM types for its results.
Where a type changes on the way (`index`, complex numbers, floats of less than 16 bits), the base class puts a
`builtin.unrealized_conversion_cast` between the two. Casts that cancel out are bypassed at once where both sides are
converted by one pass, and removed by `reconcile-unrealized-casts` where a pass each converts them.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from inspect import signature
from typing import Generic, TypeVar, final

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    UnrealizedConversionCastOp,
    VectorType,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.dialects.data_layout import index_width
from xshardy.ir import new_operation
from xshardy.lowering.types import LLVMTypes
from xshardy.rewriting import ClassPattern, PatternPass, PatternSet

OperationT = TypeVar("OperationT", bound=Operation)

Operands = Sequence[SSAValue]
"""The operands of the operation that is converted, as values of LLVM types."""

Converted = Operation | SSAValue | Sequence[SSAValue] | None
"""
What takes the place of an operation: an operation that is not inserted yet, a value for each of its results, or nothing
for an operation without results.
"""


@dataclass(frozen=True)
class ConversionPattern(ClassPattern, Generic[OperationT]):
    """Converts the operations of one class, the type hint of `op` in `convert`, to operations on LLVM types."""

    types: LLVMTypes

    def takes(self, op_type: type[Operation], /) -> bool:
        return issubclass(op_type, _hinted_type(type(self).convert))

    @final
    def result_types(self, op: Operation) -> list[Attribute]:
        """The LLVM types of the results of `op`."""
        return [self.types.convert(result.type) for result in op.results]

    @final
    def result_type(self, op: Operation) -> Attribute:
        """The LLVM type of the only result of `op`."""
        return self.types.convert(op.results[0].type)

    @abstractmethod
    def convert(self, op: OperationT, operands: Operands, rewriter: PatternRewriter, /) -> Converted:
        """
        Build what takes the place of `op`; the rewriter inserts in front of it. The caller replaces and erases `op`.

        Raises `PassFailedException` with the reason if there is no conversion.
        """

    @final
    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        old_operands = tuple(op.operands)
        try:
            operands = [to_llvm(operand, self.types, rewriter) for operand in old_operands]
            converted = self.convert(op, operands, rewriter)  # pyright: ignore[reportArgumentType]
            if isinstance(converted, Operation):
                converted = rewriter.insert(converted).results
        except PassFailedException as error:
            raise PassFailedException(f"cannot lower '{op.name}' to the llvm dialect: {error}") from error
        values = (converted,) if isinstance(converted, SSAValue) else converted or ()
        for result, value in zip(op.results, values, strict=True):
            if value.name_hint is None:
                value.name_hint = result.name_hint
            if result.first_use is not None:
                rewriter.replace_all_uses_with(result, from_llvm(value, result.type, rewriter))
        rewriter.erase(op)
        for old, new in zip(old_operands, operands, strict=True):
            if old is not new:
                _erase_dead_cast(old, rewriter)
                _erase_dead_cast(new, rewriter)


@cache
def _hinted_type(convert: Callable[..., Converted]) -> type[Operation]:
    """The type hint of the first parameter of `convert` after `self`."""
    return list(signature(convert, eval_str=True).parameters.values())[1].annotation


@dataclass(frozen=True)
class RowPattern(ConversionPattern[Operation]):
    """A conversion that a table instantiates for each of its rows: it converts `op_type`, the operation of the row."""

    op_type: type[Operation]

    def takes(self, op_type: type[Operation], /) -> bool:
        return issubclass(op_type, self.op_type)


@dataclass(frozen=True)
class Twin(RowPattern):
    """`x.f(a, b)` -> `llvm.f(a, b)`: the same operands, discardable attributes kept."""

    target: type[Operation]

    def convert(self, op: Operation, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        return new_operation(self.target, operands, self.result_types(op), attributes=op.attributes.copy())


@dataclass(frozen=True)
class FloatTwin(RowPattern):
    """`x.f(a, b) fastmath<...>` -> `llvm.f(a, b) {fastmathFlags}`: as `Twin`, with the fast-math flags."""

    target: type[Operation]

    def convert(self, op: Operation, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        properties: dict[str, Attribute] = {"fastmathFlags": fast_math(op)}
        return new_operation(self.target, operands, self.result_types(op), properties, op.attributes.copy())


@dataclass(frozen=True)
class Refuse(RowPattern):
    """Refuses `x.f` with the reason: the target has nothing for it."""

    reason: str

    def convert(self, op: Operation, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        raise PassFailedException(self.reason)


class ConversionPass(PatternPass):
    """A pass of conversion patterns, which visit every operation once, in text order."""

    def conversions(self, types: LLVMTypes) -> Sequence[RewritePattern]:
        """The patterns, for a module whose types become `types`."""
        raise NotImplementedError(f"{type(self).__name__} does not define `conversions`")

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        return conversions_of((self,), index_width(module))


@cache
def conversions_of(passes: tuple[ConversionPass, ...], index_width: int) -> PatternSet:
    """The patterns of all `passes` together, for a module whose `index` has `index_width` bits."""
    types = LLVMTypes(index_width)
    return PatternSet([pattern for each in passes for pattern in each.conversions(types)])


# --- casts ------------------------------------------------------------------------------------------------------------


def to_llvm(value: SSAValue, types: LLVMTypes, rewriter: PatternRewriter) -> SSAValue:
    """
    `value` as a value of its LLVM type: itself, the value that was cast to it, or a cast right after its definition.

    A cast that is there already is used again.
    """
    old = value.type
    new = types.convert(old)
    if new is old:
        return value
    owner = value.owner
    if type(owner) is UnrealizedConversionCastOp and [operand.type for operand in owner.operands] == [new]:
        return owner.operands[0]
    following = owner.first_op if isinstance(owner, Block) else owner.next_op
    while type(following) is UnrealizedConversionCastOp:
        if tuple(following.operands) == (value,) and [result.type for result in following.results] == [new]:
            return following.results[0]
        following = following.next_op
    return rewriter.insert(_cast(value, new), _point_after(owner)).results[0]


def from_llvm(value: SSAValue, type: Attribute, rewriter: PatternRewriter) -> SSAValue:
    """`value` as a value of the old `type`: itself, or a new cast where the rewriter inserts."""
    return value if value.type == type else rewriter.insert(_cast(value, type)).results[0]


def convert_arguments(block: Block, types: LLVMTypes, rewriter: PatternRewriter) -> None:
    """`^b(%x : index)` -> `^b(%x : i64)`, and a cast to `index` for the users of `%x`."""
    for argument in block.args:
        old, new = argument.type, types.convert(argument.type)
        if new is old:
            continue
        converted = rewriter.replace_value_with_new_type(argument, new)
        users = list(converted.uses)
        if users:
            cast = rewriter.insert(_cast(converted, old), InsertPoint.at_start(block))
            rewriter.replace_uses_with_if(converted, cast.results[0], lambda use: use.operation is not cast)  # noqa: B023


def _cast(value: SSAValue, type: Attribute) -> UnrealizedConversionCastOp:
    return new_operation(UnrealizedConversionCastOp, (value,), (type,))


def _point_after(owner: Operation | Block) -> InsertPoint:
    """The first place where a result of an operation, or an argument of a block, can be used."""
    return InsertPoint.after(owner) if isinstance(owner, Operation) else InsertPoint.at_start(owner)


def _erase_dead_cast(value: SSAValue, rewriter: PatternRewriter) -> None:
    """Erase the cast that makes `value` if nothing uses it; then, in the same way, the casts that it reads."""
    cast = value.owner
    if type(cast) is not UnrealizedConversionCastOp or cast.parent is None:
        return
    if not any(result.first_use for result in cast.results):
        sources = tuple(cast.operands)
        rewriter.erase(cast)
        for source in sources:
            _erase_dead_cast(source, rewriter)


# --- symbols ----------------------------------------------------------------------------------------------------------


def declare(name: str, type: llvm.LLVMFunctionType, user: Operation, rewriter: PatternRewriter) -> None:
    """
    Ensure that the module of `user` has a function `name`: declare it at the start of the module if it is not there.

    The functions that were declared last are found first.
    """
    module = user.parent_op()
    while not isinstance(module, ModuleOp):
        assert module is not None
        module = module.parent_op()
    for op in module.ops:
        symbol = op.properties.get("sym_name")
        if isinstance(symbol, StringAttr) and symbol.data == name:
            return
    function = llvm.FuncOp(name, type, linkage=llvm.LinkageAttr("external"))
    rewriter.insert(function, InsertPoint.at_start(module.body.block))


# --- attributes and constants -----------------------------------------------------------------------------------------


def constant(value: Attribute, type: Attribute) -> llvm.ConstantOp:
    """`llvm.mlir.constant(value) : type`."""
    return new_operation(llvm.ConstantOp, (), (type,), {"value": value})


def integer_constant(value: int, type: Attribute) -> llvm.ConstantOp:
    """The integer `value`, or a vector of it. Too wide a value is cut to the bits of `type`."""
    return constant(integer_attribute(value, type), type)


@lru_cache(maxsize=4096)
def integer_attribute(value: int, type: Attribute) -> Attribute:
    """The attribute of an integer constant of `type`, or of a vector constant with all elements alike."""
    if isa(type, IntegerType):  # first, because it is the most frequent case and the fastest to test
        return IntegerAttr(value, type, truncate_bits=True)
    assert isa(type, VectorType[IntegerType])
    element = IntegerAttr(value, type.element_type, truncate_bits=True)
    return DenseIntOrFPElementsAttr.from_list(type, [element.value.data])


def fast_math(op: Operation) -> llvm.FastMathAttr:
    """The fast-math flags of `op`, of any dialect, as LLVM's."""
    flags: frozenset[FastMathFlag] | set[FastMathFlag] = getattr(op.properties.get("fastmath"), "data", frozenset())
    return llvm.FastMathAttr(list(flags)) if flags else NO_FAST_MATH


NO_FAST_MATH = llvm.FastMathAttr(None)
