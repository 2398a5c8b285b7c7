"""
The properties of operations as MLIR writes them: one after the other, by their names, without the names.

A property that may be missing is one more than twice its number, or 0. Sizes of segments are numbers, behind all
others. xDSL's definitions name most properties; `FURTHER` has those that xDSL lacks. Which of them an operation has
depends on the version of its dialect, which nothing in the bytecode says, but the number of properties does.
Source: MLIR, OpDefinitionsGen.cpp; the definitions of operations, *.td.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr
from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Attribute, Operation
from xdsl.irdl import AttrSizedOperandSegments, AttrSizedResultSegments, IRDLOperation, OptionalDef

from xshardy.syntax.bytecode.attribute_table import AttributeReader
from xshardy.syntax.bytecode.container import SEGMENT_SIZES
from xshardy.syntax.bytecode.errors import BytecodeError

SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")
"""How MLIR and xDSL call the sizes of segments."""

NO_FLAGS = (FastMathFlagsAttr("none"), IntegerOverflowAttr("none"))
"""The values of properties in `FURTHER` that MLIR writes although they say nothing."""

FURTHER: Mapping[str, Sequence[str]] = {
    name: further.split()
    for names, further in (
        ("builtin.module", "sym_visibility"),
        ("func.func", "no_inline"),
        ("func.call", "arg_attrs no_inline res_attrs"),
        ("arith.addf arith.subf arith.mulf arith.divf math.fma", "roundingmode"),
        ("arith.divsi arith.divui arith.shrsi arith.shrui", "isExact"),
        ("arith.extui arith.uitofp arith.index_castui", "nonNeg"),
        ("arith.extf", "fastmath"),
        ("arith.truncf", "fastmath roundingmode"),
        ("arith.trunci", "overflowFlags"),
        ("cf.cond_br", "branch_weights"),
        ("gpu.barrier", "address_spaces scope"),
        ("gpu.block_dim gpu.block_id gpu.global_id gpu.grid_dim gpu.thread_id", "upper_bound"),
        ("gpu.lane_id gpu.num_subgroups gpu.subgroup_id gpu.subgroup_size", "upper_bound"),
        ("gpu.module", "offloadingHandler targets"),
        ("memref.load memref.store vector.load vector.store vector.maskedload vector.maskedstore", "alignment"),
        ("scf.execute_region", "no_inline"),
        ("scf.for", "unsignedCmp"),
    )
    for name in names.split()
}
"""By operation: properties, all optional, that MLIR has and xDSL has not."""

NEWER: Mapping[str, Sequence[str]] = {
    "chlo.top_k": ("is_stable",),
    "sdy.all_reduce": ("reduction_op",),
    "sdy.reduce_scatter": ("reduction_op",),
    "stablehlo.collective_broadcast": ("has_dynamic_root",),
    "stablehlo.custom_call": ("result_tilings",),
}
"""By operation: properties that older versions of a dialect do not have."""


NOT_ATTRIBUTES = ("llvm",)
"""Dialects with properties that are no attributes in MLIR, which would be misread."""


@dataclass(frozen=True, slots=True)
class PropertyLayout:
    """The properties of an operation, in the order of their names."""

    choices: Sequence[Mapping[str, bool]]
    """Those that the operation has in versions of its dialect, and whether they may be missing."""
    segments: Sequence[tuple[str, int]]
    """The names of sizes of segments behind them, and how many segments there are."""
    further: Sequence[str]
    is_known: bool
    """Whether the properties are attributes."""

    def read(self, reader: AttributeReader) -> dict[str, Attribute]:
        """The properties. Raises `BytecodeError`."""
        if not self.is_known and reader.remaining:
            raise reader.error("the properties of operations of this dialect are not read from bytecode of MLIR")
        sizes = [size for _, size in self.segments]
        names = next((names for names in self.choices if _fits(reader, len(names), sizes)), None)
        if names is None:
            known = ", ".join(dict.fromkeys(name for names in self.choices for name in names)) or "none"
            raise reader.error(f"these are not the properties that it has, which are: {known}")
        found: dict[str, Attribute] = {}
        for name, may_be_missing in names.items():
            value = reader.optional_attribute() if may_be_missing else reader.attribute()
            if value is not None and not (name in self.further and value in NO_FLAGS):
                found[name] = value
        for name, number in self.segments:
            found[name] = DenseArrayBase.from_list(i32, _sparse_array(reader, number))
        return found


def _fits(reader: AttributeReader, number: int, segments: Sequence[int]) -> bool:
    """Whether `number` properties, and sizes of so many segments, are all there is. Leaves `reader` where it is."""
    start = reader.position
    try:
        reader.varints(number)
        for size in segments:
            _sparse_array(reader, size)
        return not reader.remaining
    except BytecodeError:
        return False
    finally:
        reader.position = start


def _sparse_array(reader: AttributeReader, size: int) -> Sequence[int]:
    """Numbers: all of them, or for those that are not 0, the number and its place in one."""
    number, is_sparse = divmod(reader.varint(), 2)
    bits = reader.varint() if is_sparse and number else 0
    values = [reader.varint() for _ in range(min(number, size))]
    if not is_sparse:
        return values
    found = {value & (1 << min(bits, 32)) - 1: value >> min(bits, 32) for value in values}
    return [found.get(i, 0) for i in range(size)]


@cache
def layout_of(op_type: type[Operation], version: int) -> PropertyLayout | None:
    """The layout of an operation's properties in a version of the format; None for one that has no declaration."""
    if not issubclass(op_type, IRDLOperation):
        return None
    definition = op_type.get_irdl_definition()
    names = {
        name: isinstance(declaration, OptionalDef) or declaration.default_value is not None
        for name, declaration in (*definition.properties.items(), *definition.attributes.items())
        if name not in SEGMENTS
    }
    kinds = (AttrSizedOperandSegments, AttrSizedResultSegments)
    sizes = (len(definition.operands), len(definition.results))
    segments = [
        (name, size)
        for name, kind, size in zip(SEGMENTS, kinds, sizes, strict=True)
        if any(isinstance(option, kind) for option in definition.options)
    ]
    if version < SEGMENT_SIZES:
        names |= {name: False for name, _ in segments}
        segments = ()
    further, newer = FURTHER.get(op_type.name, ()), NEWER.get(op_type.name, ())
    older = {name: flag for name, flag in names.items() if name not in newer}
    choices = [dict(sorted(choice.items())) for choice in (names, names | dict.fromkeys(further, True), older)]
    return PropertyLayout(choices, segments, further, op_type.name.partition(".")[0] not in NOT_ATTRIBUTES)
