"""
The properties of operations as MLIR writes them: one after the other, by their names, without the names.

A property that may be missing is one more than twice its number, or 0. Sizes of segments are numbers, behind all
others. xDSL's definitions name most properties; `FURTHER` has those that xDSL lacks. Which of them an operation has
depends on the version of its dialect, which nothing in the bytecode says, but the number of properties does.
Source: MLIR, OpDefinitionsGen.cpp; the definitions of operations, *.td.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr
from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Attribute, Operation
from xdsl.irdl import AttrSizedOperandSegments, AttrSizedResultSegments, IRDLOperation, OptionalDef

from xshardy.syntax.bytecode.attribute_table import AttributeReader
from xshardy.syntax.bytecode.container import SEGMENT_SIZES

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


@dataclass(frozen=True, slots=True)
class PropertyLayout:
    """The properties of an operation."""

    names: Mapping[str, bool]
    """The names, and whether a property may be missing."""
    segments: Sequence[tuple[str, int]]
    """The names of sizes of segments, and how many segments there are."""
    further: Sequence[str]
    newer: Sequence[str]

    def read(self, reader: AttributeReader, version: int) -> dict[str, Attribute]:
        """The properties. Raises `BytecodeError`."""
        inline: Sequence[tuple[str, int]] = () if version < SEGMENT_SIZES else self.segments
        names = self._names(_count(reader, inline), version)
        if names is None:
            known = ", ".join((*self.names, *self.further)) or "none"
            raise reader.error(f"these are not the properties that it has, which are: {known}")
        found: dict[str, Attribute] = {}
        for name, may_be_missing in sorted(names.items()):
            value = reader.optional_attribute() if may_be_missing else reader.attribute()
            if value is not None and not (name in self.further and value in NO_FLAGS):
                found[name] = value
        for name, number in inline:
            found[name] = DenseArrayBase.from_list(i32, _sparse_array(reader, number))
        return found

    def _names(self, number: int, version: int) -> Mapping[str, bool] | None:
        """The properties in order, of which there are `number`; None if no version has as many."""
        names = dict(self.names)
        if version < SEGMENT_SIZES:
            names |= {name: False for name, _ in self.segments}
        older = {name: flag for name, flag in names.items() if name not in self.newer}
        newest = names | dict.fromkeys(self.further, True)
        return next((choice for choice in (names, newest, older) if len(choice) == number), None)


def _count(reader: AttributeReader, inline: Iterable[tuple[str, int]]) -> int:
    """How many properties there are in front of the sizes of segments. Leaves `reader` where it is."""
    start, ends = reader.position, [reader.position]
    while reader.remaining:
        reader.varint()
        ends.append(reader.position)
    for number in range(len(ends)):
        reader.position = ends[number]
        for _, segments in inline:
            _sparse_array(reader, segments)
        if not reader.remaining:
            break
    else:
        number = -1
    reader.position = start
    return number


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
def layout_of(op_type: type[Operation]) -> PropertyLayout | None:
    """The layout of the properties of an operation; None for one that has no declaration."""
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
    return PropertyLayout(names, segments, FURTHER.get(op_type.name, ()), NEWER.get(op_type.name, ()))
