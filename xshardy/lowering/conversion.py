"""
Conversion of operations to the llvm dialect by a table of rules.

A module of this package that lowers a dialect is such a table: for each operation a rule, which builds what takes its
place. The engine walks the IR once. It hands a rule its operands as LLVM values, and what the rule returns goes to the
users of the operation. Where a type changes on the way (`index`, complex, the narrow floats) there is a
`builtin.unrealized_conversion_cast` between the two, until the last table has been applied and the casts cancel out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

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
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.dialects.data_layout import index_width
from xshardy.lowering.types import LLVMTypes


@dataclass(slots=True)
class Site:
    """An operation that is being lowered, seen from LLVM, and the place where a rule builds."""

    op: Operation
    operands: Sequence[SSAValue]
    """The operands, as values of LLVM types."""
    converter: "Converter"

    @property
    def types(self) -> LLVMTypes:
        """How types are converted."""
        return self.converter.types

    @property
    def result_types(self) -> list[Attribute]:
        """The LLVM types of the results."""
        return [self.types.convert(result.type) for result in self.op.results]

    @property
    def result_type(self) -> Attribute:
        """The LLVM type of the only result."""
        return self.types.convert(self.op.results[0].type)

    def insert(self, new: Operation) -> SSAValue:
        """Put `new` in front of the operation. Returns its result, the only one."""
        self.place(new)
        return new.results[0]

    def place(self, new: Operation) -> None:
        """Put `new`, an operation without a result to use, in front of the operation."""
        block = self.op.parent
        assert block is not None
        block.insert_op_before(new, self.op)

    def constant(self, value: int, type: Attribute) -> SSAValue:
        """The integer `value`, or a vector of it. Too wide a value is cut to the bits of `type`."""
        return self.insert(llvm.ConstantOp(integer_constant(value, type), type))


Rule = Callable[[Site], SSAValue | Sequence[SSAValue] | None]
"""Builds what takes the place of an operation; returns the values of its results (None: it has none)."""


def integer_constant(value: int, type: Attribute) -> Attribute:
    """The attribute of an integer constant of `type`, or of a vector constant with all elements alike."""
    if isa(type, IntegerType):  # first, as it is the common case and tested at once
        return IntegerAttr(value, type, truncate_bits=True)
    assert isa(type, VectorType[IntegerType])
    element = IntegerAttr(value, type.element_type, truncate_bits=True)
    return DenseIntOrFPElementsAttr.from_list(type, [element.value.data])


def fast_math(op: Operation) -> llvm.FastMathAttr:
    """The fast-math flags of `op`, of any dialect, as LLVM's."""
    flags: frozenset[FastMathFlag] | set[FastMathFlag] = getattr(op.properties.get("fastmath"), "data", frozenset())
    return llvm.FastMathAttr(list(flags)) if flags else NO_FAST_MATH


NO_FAST_MATH = llvm.FastMathAttr(None)


def twin(target: type[Operation]) -> Rule:
    """`x.f(a, b)` -> `llvm.f(a, b)`: the same operands, discardable attributes kept."""

    def rule(at: Site) -> SSAValue:
        return at.insert(target.create(operands=at.operands, result_types=at.result_types, attributes=at.op.attributes))

    return rule


def float_twin(target: type[Operation]) -> Rule:
    """`x.f(a, b) fastmath<...>` -> `llvm.f(a, b) {fastmathFlags}`: as `twin`, with the fast-math flags."""

    def rule(at: Site) -> SSAValue:
        return at.insert(
            target.create(
                operands=at.operands,
                result_types=at.result_types,
                properties={"fastmathFlags": fast_math(at.op)},
                attributes=at.op.attributes,
            )
        )

    return rule


class Converter:
    """Applies rules to operations and keeps the casts between old and new types."""

    def __init__(self, module: ModuleOp, types: LLVMTypes):
        self.types = types
        self._module = module
        self._casts: list[UnrealizedConversionCastOp] = []
        self._converted: dict[SSAValue, SSAValue] = {}
        """Values of old types and their casts to LLVM types."""
        self._declared: set[str] | None = None

    def declare(self, name: str, type: llvm.LLVMFunctionType) -> None:
        """Make sure that the module has a function `name`, declared at its start if it is not there."""
        if self._declared is None:
            symbols = (op.properties.get("sym_name") for op in self._module.ops)
            self._declared = {symbol.data for symbol in symbols if isinstance(symbol, StringAttr)}
        if name not in self._declared:
            self._declared.add(name)
            function = llvm.FuncOp(name, type, linkage=llvm.LinkageAttr("external"))
            Rewriter.insert_op(function, InsertPoint.at_start(self._module.body.block))

    def to_llvm(self, value: SSAValue) -> SSAValue:
        """`value` as a value of an LLVM type: itself, what was cast to it, or a cast right after its definition."""
        type = self.types.convert(value.type)
        if type == value.type:
            return value
        source = value.owner
        if isinstance(source, UnrealizedConversionCastOp) and source.operands[0].type == type:
            self._casts.append(source)
            return source.operands[0]
        if (known := self._converted.get(value)) is None:
            cast = UnrealizedConversionCastOp.get([value], [type])
            self._casts.append(cast)
            Rewriter.insert_op(cast, _point_after(value))
            known = self._converted[value] = cast.results[0]
        return known

    def from_llvm(self, value: SSAValue, type: Attribute, point: InsertPoint) -> SSAValue:
        """`value` as a value of the old `type`: itself, or a new cast at `point`."""
        if value.type == type:
            return value
        cast = UnrealizedConversionCastOp.get([value], [type])
        self._casts.append(cast)
        Rewriter.insert_op(cast, point)
        return cast.results[0]

    def apply(self, rule: Rule, op: Operation) -> None:
        """Replace `op` by what `rule` builds. Raises `PassFailedException` if it cannot."""
        try:
            operands = [self.to_llvm(operand) for operand in op.operands]
            built = rule(Site(op, operands, self))
        except PassFailedException as error:
            raise PassFailedException(f"cannot lower '{op.name}' to the llvm dialect: {error}") from error
        values = [built] if isinstance(built, SSAValue) else built or ()
        for result, value in zip(op.results, values, strict=True):
            if value.name_hint is None:
                value.name_hint = result.name_hint
            result.replace_all_uses_with(self.from_llvm(value, result.type, InsertPoint.before(op)))
        Rewriter.erase_op(op)

    def convert_arguments(self, block: Block) -> None:
        """Give the arguments of `block` LLVM types; what uses them gets them through a cast."""
        for argument in tuple(block.args):
            old, new = argument.type, self.types.convert(argument.type)
            if old == new:
                continue
            converted = Rewriter.replace_value_with_new_type(argument, new)
            cast = UnrealizedConversionCastOp.get([converted], [old])
            converted.replace_all_uses_with(cast.results[0])
            Rewriter.insert_op(cast, InsertPoint.at_start(block))
            cast.operands[0] = converted
            self._casts.append(cast)

    def erase_dead_casts(self) -> None:
        """Erase the casts that this converter met and nothing uses any more."""
        for cast in reversed(dict.fromkeys(self._casts)):
            if cast.parent is not None and not any(result.first_use for result in cast.results):
                Rewriter.erase_op(cast)


def _point_after(value: SSAValue) -> InsertPoint:
    """Where everything that may use `value` comes later."""
    return InsertPoint.after(value.owner) if isinstance(value.owner, Operation) else InsertPoint.at_start(value.owner)


def convert(module: ModuleOp, rules: Mapping[type[Operation], Rule], types: LLVMTypes | None = None) -> None:
    """Apply `rules`, by operation, to all operations of `module`. Linear in its size."""
    converter = Converter(module, types or LLVMTypes(index_width(module)))
    for op in tuple(module.walk()):
        if (rule := rules.get(type(op))) is not None:
            converter.apply(rule, op)
    converter.erase_dead_casts()
