"""Opcodes that apply a computation to many elements: reductions, maps, windows, scatters, sorts."""

from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import IntAttr, SymbolRefAttr, TensorType
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.dialects.stablehlo.windows import window_of, window_properties
from xshardy.hlo_text.codecs import BOOLEAN, INTEGERS, ONE_INTEGER, Fields, boolean, dimension_array
from xshardy.hlo_text.errors import HLOPrintError
from xshardy.hlo_text.fields import ComputationName
from xshardy.hlo_text.forms.arrays import array_type
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.opcode import Form, Opcode, Regions, row
from xshardy.hlo_text.tuples import unpack

TO_APPLY = "hlo.to_apply"


def map_(instruction: Instruction) -> Operation:
    """`map(x, y), dimensions={0,1}, to_apply=f`; by default, all dimensions."""
    rank = array_type(instruction).get_num_dims()
    return stablehlo.MapOp.create(
        operands=instruction.values,
        result_types=[instruction.result_type],
        properties={"dimensions": dimension_array(instruction.fields.get("dimensions", tuple(range(rank))))},
        attributes=applied(instruction),
        regions=[region_of(instruction.function("to_apply"))],
    )


def map_fields(op: stablehlo.MapOp, regions: Regions) -> Fields:
    """`dimensions={0,1}, to_apply=f`"""
    return {"dimensions": INTEGERS.decode(op.dimensions), "to_apply": applied_name(op, op.computation, regions)}


def reduce(instruction: Instruction) -> Operation:
    """`reduce(x, init), dimensions={1}, to_apply=add`; with n arrays, n initial values and a tuple of results."""
    return stablehlo.ReduceOp.create(
        operands=paired(instruction),
        result_types=instruction.result_types,
        properties={"dimensions": dimension_array(instruction.fields["dimensions"])},
        attributes=applied(instruction),
        regions=[region_of(instruction.function("to_apply"))],
    )


def reduce_fields(op: stablehlo.ReduceOp, regions: Regions) -> Fields:
    """`dimensions={1}, to_apply=add`"""
    return {"dimensions": INTEGERS.decode(op.dimensions), "to_apply": applied_name(op, op.body, regions)}


def paired(instruction: Instruction) -> Sequence[SSAValue]:
    """The operands of a reduction: the arrays, then an initial value for each."""
    if len(instruction.operands) % 2 or not instruction.operands:
        raise instruction.error(
            f"takes as many arrays as initial values, got {len(instruction.operands)} operand(s) in all"
        )
    return instruction.values


def applied(instruction: Instruction, attribute: str = "to_apply") -> dict[str, Attribute]:
    """The name of the computation with the body of the operation; it names functions of the emitted kernel."""
    return {f"hlo.{attribute}": SymbolRefAttr(instruction.fields[attribute].name)}


def applied_name(op: Operation, region: Region, regions: Regions, attribute: str = TO_APPLY) -> ComputationName:
    """The computation with the body of `region`."""
    return regions.computation(op, region, attribute)


def region_of(function: func.FuncOp) -> Region:
    """A copy of the body of `function` as the region of an operation; a tuple becomes several values."""
    region = function.body.clone()
    last = region.block.last_op
    if isinstance(last, func.ReturnOp):
        unpacking: list[Operation] = []
        values = [value for operand in last.operands for value in flattened(operand, unpacking)]
        Rewriter.replace_op(last, [*unpacking, stablehlo.ReturnOp(*values)], [])
        erase_dead_tuples(region)
    return region


def flattened(value: SSAValue, unpacking: list[Operation]) -> Sequence[SSAValue]:
    """The arrays in `value`. Appends the operations that unpack a tuple that is not built here to `unpacking`."""
    if not isinstance(owner := value.owner, stablehlo.TupleOp):
        return unpack(value, unpacking)
    return [part for element in owner.val for part in flattened(element, unpacking)]


def erase_dead_tuples(region: Region) -> None:
    """Erase unused tuples at the end of `region`."""
    for op in reversed(list(region.block.ops)):
        if isinstance(op, stablehlo.TupleOp) and not op.result.uses:
            Rewriter.erase_op(op)


def reduce_window(instruction: Instruction) -> Operation:
    """`reduce-window(x, init), window={size=2x2 stride=2x1}, to_apply=add`"""
    return stablehlo.ReduceWindowOp.create(
        operands=paired(instruction),
        result_types=instruction.result_types,
        properties=window_properties(instruction.fields.get("window", ())),
        attributes=applied(instruction),
        regions=[region_of(instruction.function("to_apply"))],
    )


def reduce_window_fields(op: stablehlo.ReduceWindowOp, regions: Regions) -> Fields:
    """`window={size=2x2 stride=2x1}, to_apply=add`"""
    return {"window": op.window(), "to_apply": applied_name(op, op.body, regions)}


def scatter(instruction: Instruction) -> Operation:
    """`scatter(x, indices, updates), update_window_dims={1}, ..., to_apply=add`; with n arrays, n updates."""
    if len(instruction.operands) % 2 == 0:
        raise instruction.error(
            f"takes as many updates as arrays, and indices between them, got {len(instruction.operands)} operand(s)"
        )
    fields = instruction.fields
    numbers = stablehlo.ScatterDimensionNumbersAttr(
        dimension_array(fields["update_window_dims"]),
        dimension_array(fields["inserted_window_dims"]),
        dimension_array(fields.get("input_batching_dims", ())),
        dimension_array(fields.get("scatter_indices_batching_dims", ())),
        dimension_array(fields["scatter_dims_to_operand_dims"]),
        IntAttr(fields["index_vector_dim"]),
    )
    op = stablehlo.ScatterOp.create(
        operands=instruction.values,
        result_types=instruction.result_types,
        properties={
            "scatter_dimension_numbers": numbers,
            "indices_are_sorted": boolean(fields.get("indices_are_sorted", False)),
            "unique_indices": boolean(fields.get("unique_indices", False)),
        },
        attributes=applied(instruction),
        regions=[region_of(instruction.function("to_apply"))],
    )
    if isinstance(op.scatter_indices.type, TensorType) and (reason := op.refused_indices()) is not None:
        raise instruction.error(reason)
    return op


def scatter_fields(op: stablehlo.ScatterOp, regions: Regions) -> Fields:
    """The inverse of `scatter`. Raises `HLOPrintError` for indices that XLA does not take."""
    if (reason := op.refused_indices()) is not None:
        raise HLOPrintError(f"{op.name}: {reason}")
    numbers = op.scatter_dimension_numbers
    fields: Fields = {
        "update_window_dims": INTEGERS.decode(numbers.update_window_dims),
        "inserted_window_dims": INTEGERS.decode(numbers.inserted_window_dims),
        "scatter_dims_to_operand_dims": INTEGERS.decode(numbers.scatter_dims_to_operand_dims),
        "index_vector_dim": numbers.index_vector_dim.data,
    }
    if batching := INTEGERS.decode(numbers.input_batching_dims):
        fields["input_batching_dims"] = batching
        fields["scatter_indices_batching_dims"] = INTEGERS.decode(numbers.scatter_indices_batching_dims)
    for key in ("indices_are_sorted", "unique_indices"):
        flag = op.properties.get(key)
        if flag is not None and BOOLEAN.decode(flag):
            fields[key] = True
    return {**fields, "to_apply": applied_name(op, op.update_computation, regions)}


def select_and_scatter(instruction: Instruction) -> Operation:
    """`select-and-scatter(x, source, init), window={size=2}, select=ge, scatter=add`"""
    properties = window_properties(instruction.fields.get("window", ()))
    return stablehlo.SelectAndScatterOp.create(
        operands=instruction.values,
        result_types=[instruction.result_type],
        properties=properties,
        attributes=applied(instruction, "select") | applied(instruction, "scatter"),
        regions=[region_of(instruction.function(key)) for key in ("select", "scatter")],
    )


def select_and_scatter_fields(op: stablehlo.SelectAndScatterOp, regions: Regions) -> Fields:
    """The inverse of `select_and_scatter`."""
    fields: Fields = {
        "select": applied_name(op, op.select, regions, "hlo.select"),
        "scatter": applied_name(op, op.scatter, regions, "hlo.scatter"),
    }
    if op.window_dimensions is not None:
        sizes = INTEGERS.decode(op.window_dimensions)
        fields["window"] = window_of(sizes, op.window_strides, op.padding)
    return fields


def sort(instruction: Instruction) -> Operation:
    """`sort(x, y), dimensions={0}, is_stable=true, to_apply=less`"""
    dimensions = instruction.fields["dimensions"]
    if len(dimensions) != 1:
        raise instruction.error(f"takes one dimension, got {len(dimensions)}", "write `dimensions={0}`")
    return stablehlo.SortOp.create(
        operands=instruction.values,
        result_types=instruction.result_types,
        properties={
            "dimension": ONE_INTEGER.encode(dimensions),
            "is_stable": boolean(instruction.fields.get("is_stable", False)),
        },
        attributes=applied(instruction),
        regions=[region_of(instruction.function("to_apply"))],
    )


def sort_fields(op: stablehlo.SortOp, regions: Regions) -> Fields:
    """`dimensions={0}, is_stable=true, to_apply=less`"""
    rank = len(tensor_type(op.inputs[0]).get_shape())
    dimension = -1 if op.dimension is None else op.dimension.value.data
    fields: Fields = {"dimensions": (dimension % rank if rank else 0,)}
    if op.is_stable is not None and op.is_stable.value.data:
        fields["is_stable"] = True
    return {**fields, "to_apply": applied_name(op, op.comparator, regions)}


ROWS: Mapping[str, Opcode] = {
    "map": row(map_, None, "to_apply", "dimensions", forms=[Form(stablehlo.MapOp, map_fields)]),
    "reduce": row(reduce, None, "dimensions to_apply", forms=[Form(stablehlo.ReduceOp, reduce_fields)]),
    "reduce-window": row(
        reduce_window, None, "to_apply", "window", forms=[Form(stablehlo.ReduceWindowOp, reduce_window_fields)]
    ),
    "scatter": row(
        scatter,
        None,
        "update_window_dims inserted_window_dims scatter_dims_to_operand_dims index_vector_dim to_apply",
        "input_batching_dims scatter_indices_batching_dims indices_are_sorted unique_indices",
        forms=[Form(stablehlo.ScatterOp, scatter_fields)],
    ),
    "select-and-scatter": row(
        select_and_scatter,
        3,
        "select scatter",
        "window",
        forms=[Form(stablehlo.SelectAndScatterOp, select_and_scatter_fields)],
    ),
    "sort": row(sort, None, "dimensions to_apply", "is_stable", forms=[Form(stablehlo.SortOp, sort_fields)]),
}
