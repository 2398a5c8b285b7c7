"""
IRDL constraints that tie operands and results of xla_gpu to indexing maps and to each other.

IRDL verifies operands first, then results, regions and properties. A constraint of a property therefore sees the
counts and the types of the others, as constraint variables. Messages are upstream's where upstream has one.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import cast

from typing_extensions import TypeVar
from xdsl.dialects.builtin import (
    AnyTensorType,
    AnyTensorTypeConstr,
    DenseArrayBase,
    IndexType,
    IntegerType,
    TensorType,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    AnyAttr,
    AnyInt,
    AttrConstraint,
    EqAttrConstraint,
    InferenceContext,
    IntConstraint,
    IntVarConstraint,
    MessageConstraint,
    ParamAttrConstraint,
    RangeConstraint,
    RangeOf,
    RangeVarConstraint,
    SizedConstraint,
    VerificationContext,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.spelling import spelling
from xshardy.dialects.constraints import WithoutTypeVariables
from xshardy.dialects.xla_gpu.attributes import IndexingMapAttr

TypeVars = Mapping[TypeVar, AttrConstraint | IntConstraint]


def indices(count: str) -> RangeConstraint[IndexType]:
    """Indices, as many as the integer variable `count` says."""
    return RangeOf(EqAttrConstraint(IndexType())).of_length(IntVarConstraint(count, AnyInt()))


@dataclass(frozen=True)
class MapCount:
    """
    The integer variable `variable` equals `count` of the map.

    Else `message` is the error, where `{actual}`, `{expected}`, `{dims}`, `{symbols}`, `{map}` and `{spelling}` stand
    for the two numbers, the numbers of dimensions and symbols of the map, the map, and what XLA calls such maps.
    """

    variable: str
    count: Callable[[IndexingMap], int]
    message: str


@dataclass(frozen=True)
class MapOf(WithoutTypeVariables[IndexingMapAttr]):
    """An indexing map whose `counts` equal integer variables. A variable that is not set takes the count of the map."""

    counts: tuple[MapCount, ...]
    no_constraints: str = ""
    """The error for a map with constraints; if empty, these are allowed."""
    no_ranges: str = ""
    """The error for a map with range variables; if empty, these are allowed."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, IndexingMapAttr):
            raise VerifyException(f"{attr} should be of base attribute {IndexingMapAttr.name}")
        map = attr.data
        if self.no_ranges and map.ranges:
            raise VerifyException(self.no_ranges)
        for row in self.counts:
            expected = row.count(map)
            actual = constraint_context.get_int_variable(row.variable)
            if actual is None:
                constraint_context.set_int_variable(row.variable, expected)
            elif actual != expected:
                dims, symbols = len(map.dimensions), len(map.symbols)
                numbers = {"actual": actual, "expected": expected, "dims": dims, "symbols": symbols}
                raise VerifyException(row.message.format(**numbers, map=map, spelling=spelling()))
        if self.no_constraints and map.constraints:
            raise VerifyException(self.no_constraints)

    def variables(self) -> set[str]:
        return {row.variable for row in self.counts}

    def get_bases(self) -> set[type[Attribute]]:
        return {IndexingMapAttr}


APPLIED_MAP = MapOf(
    (
        MapCount(
            "ARGUMENTS",
            lambda map: len(map.dimensions) + len(map.symbols),
            "operand count {actual} does not match the sum of dimensions {dims} and symbols {symbols} in the "
            "{spelling} map",
        ),
        MapCount(
            "VALUES",
            lambda map: len(map.results),
            "result count {actual} does not match the {expected} results of the map",
        ),
    ),
    no_constraints="apply indexing op cannot have any constraints",
)
"""The map of an operation with `ARGUMENTS` operands and `VALUES` results."""

MAP_OF_SOURCE = MapOf((MapCount("NUMBERS", lambda map: len(map.results), ""),))
"""The map of an indexed vector, which numbers an element by `NUMBERS` indices."""

INSERTION_MAP = MapOf(
    (
        MapCount(
            "NUMBERS",
            lambda map: len(map.dimensions),
            "source map result count must equal insert_op's map's dimension count",
        ),
    ),
    no_ranges="insert_op map must not have any symbols",
)
"""The map from the `NUMBERS` indices of an element of an indexed vector."""

LOOP_MAP = MapOf(
    (
        MapCount(
            "DIMS",
            lambda map: len(map.dimensions),
            "mismatch in number of dims operands {actual} and DimVars in the indexing map {map}",
        ),
    )
)
"""The map of a loop with `DIMS` dimensions."""


@dataclass(frozen=True)
class Rank(IntVarConstraint):
    """The rank of a tensor, which is the number of its indices."""

    def verify(self, i: int, constraint_context: VerificationContext) -> None:
        rank = constraint_context.get_int_variable(self.name)
        if rank is not None and rank != i:
            raise VerifyException(f"expected {rank} indices, one per dimension, but got {i}")
        super().verify(i, constraint_context)

    def mapping_type_vars(self, type_var_mapping: TypeVars) -> IntConstraint:
        return self


RANK = Rank("RANK", AnyInt())


def tensor_of_rank(element_type: AttrConstraint) -> AttrConstraint[TensorType[Attribute]]:
    """A tensor of these elements; `INDICES_OF_RANK` has an index for each of its dimensions."""
    return ParamAttrConstraint(TensorType, (SizedConstraint(RANK), element_type, AnyAttr()))


INDICES_OF_RANK: RangeConstraint[IndexType] = RangeOf(EqAttrConstraint(IndexType())).of_length(RANK)

# -- Reductions -------------------------------------------------------------------------------------------------------

REDUCED_INPUTS = RangeVarConstraint(
    "INPUTS", RangeOf(MessageConstraint(AnyTensorTypeConstr, "expected the ranked tensor types of the inputs"))
)
REDUCED_RESULTS = RangeVarConstraint("RESULTS", RangeOf(AnyTensorTypeConstr))


def tensor_types(types: Sequence[Attribute]) -> Sequence[AnyTensorType]:
    """The types of the inputs of a reduction, which `REDUCED_INPUTS` has verified."""
    return cast(Sequence[AnyTensorType], types)


@dataclass(frozen=True)
class ElementTypes(RangeConstraint[Attribute]):
    """The element types of the tensors of the range variable `tensors`, one each."""

    tensors: str

    def verify(self, attrs: Sequence[Attribute], constraint_context: VerificationContext) -> None:
        for actual, expected in zip(attrs, self.infer(constraint_context, length=None), strict=False):
            if actual != expected:
                raise VerifyException(f"init type '{actual}' does not match inferred type '{expected}'")

    def verify_length(self, length: int, constraint_context: VerificationContext) -> None:
        """Left to `SameVariadicOperandSize`."""

    def can_infer(self, var_constraint_names: Set[str], *, length_known: bool) -> bool:
        return self.tensors in var_constraint_names

    def infer(self, context: InferenceContext, *, length: int | None) -> Sequence[Attribute]:
        return [type.element_type for type in tensor_types(context.get_range_variable(self.tensors) or ())]

    def mapping_type_vars(self, type_var_mapping: TypeVars) -> RangeConstraint[Attribute]:
        return self


def reduced_types(input_types: Sequence[Attribute], dimensions: Sequence[int]) -> list[Attribute]:
    """The types of the results of a reduction: those of the inputs, without the reduced dimensions."""
    return [
        TensorType(type.element_type, [size for dim, size in enumerate(type.get_shape()) if dim not in dimensions])
        for type in tensor_types(input_types)
    ]


@dataclass(frozen=True, init=False)
class ReducedDimensions(ParamAttrConstraint[DenseArrayBase[IntegerType]]):
    """The dimensions that make the types of the results of those of the inputs."""

    def __init__(self):
        super().__init__(cast("type[DenseArrayBase[IntegerType]]", DenseArrayBase), (EqAttrConstraint(i64), AnyAttr()))

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        super().verify(attr, constraint_context)
        assert isa(attr, DenseArrayBase[IntegerType])
        inputs = constraint_context.get_range_variable(REDUCED_INPUTS.name)
        results = constraint_context.get_range_variable(REDUCED_RESULTS.name)
        if inputs is None or results is None:
            return
        if not inputs:
            raise VerifyException("expected at least one input to reduce")
        expected = tuple(reduced_types(inputs, attr.get_values()))
        if results != expected:
            wanted, got = (", ".join(map(str, types)) for types in (expected, results))
            raise VerifyException(
                f"expected the result types {wanted}, as the inputs without the reduced dimensions, but got {got}"
            )

    def mapping_type_vars(self, type_var_mapping: TypeVars) -> AttrConstraint[DenseArrayBase[IntegerType]]:
        return self
