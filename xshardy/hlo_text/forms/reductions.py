"""Opcodes that apply a computation to many elements: reductions, maps, windows, scatters, sorts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.dialects.stablehlo.windows import window_of, window_properties
from xshardy.hlo_text.codecs import BOOLEAN, INTEGERS, SYMBOL, Fields, dimension_array
from xshardy.hlo_text.errors import HLOPrintError
from xshardy.hlo_text.forms.arrays import array_type, index_numbers, one_dimension
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.opcode import Content, Form, Opcode, Part, Regions, described, prop
from xshardy.hlo_text.tuples import unpack

TO_APPLY = "hlo.to_apply"


def applied(key: str = "to_apply", number: int = 0) -> Part:
    """
    `to_apply=add`: the computation with the body of region `number`.

    Its name is an attribute too, for functions of the emitted kernel have it.
    """
    attribute = f"hlo.{key}"

    def read(instruction: Instruction, content: Content) -> None:
        content.attributes[attribute] = SYMBOL.encode(instruction.fields[key])
        content.regions.append(region_of(instruction.function(key)))

    def write(op: Operation, regions: Regions) -> Fields:
        return {key: regions.computation(op, op.regions[number], attribute)}

    return Part(key, "", read, write)


def read_mapped_dimensions(instruction: Instruction, content: Content) -> None:
    """`dimensions={0,1}`; by default, all dimensions."""
    rank = array_type(instruction).get_num_dims()
    content.properties["dimensions"] = dimension_array(instruction.fields.get("dimensions", tuple(range(rank))))


def mapped_dimensions_field(op: stablehlo.MapOp, regions: Regions) -> Fields:
    """The inverse of `read_mapped_dimensions`."""
    return {"dimensions": INTEGERS.decode(op.dimensions)}


def paired(instruction: Instruction) -> Sequence[SSAValue]:
    """The operands of a reduction: the arrays, then an initial value for each."""
    if len(instruction.operands) % 2 or not instruction.operands:
        raise instruction.error(
            f"takes as many arrays as initial values, got {len(instruction.operands)} operand(s) in all"
        )
    return instruction.values


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


def read_window(instruction: Instruction, content: Content) -> None:
    """`window={size=2x2 stride=2x1}`"""
    content.properties |= window_properties(instruction.fields.get("window", ()))


def selecting_window(op: stablehlo.SelectAndScatterOp, regions: Regions) -> Fields:
    """The window, which may be omitted."""
    if op.window_dimensions is None:
        return {}
    return {"window": window_of(INTEGERS.decode(op.window_dimensions), op.window_strides, op.padding)}


SCATTER = described(
    stablehlo.ScatterOp,
    None,
    index_numbers(
        "scatter_dimension_numbers",
        stablehlo.ScatterDimensionNumbersAttr,
        "update_window_dims inserted_window_dims scatter_dims_to_operand_dims",
        "input_batching_dims scatter_indices_batching_dims",
    ),
    prop("indices_are_sorted", BOOLEAN, default=False),
    prop("unique_indices", BOOLEAN, default=False),
    applied(),
)


def scatter(instruction: Instruction) -> Operation:
    """`scatter(x, indices, updates), update_window_dims={1}, ..., to_apply=add`; with n arrays, n updates."""
    if len(instruction.operands) % 2 == 0:
        raise instruction.error(
            f"takes as many updates as arrays, and indices between them, got {len(instruction.operands)} operand(s)"
        )
    op = SCATTER.build(instruction)
    assert isinstance(op, stablehlo.ScatterOp)
    if isinstance(op.scatter_indices.type, TensorType) and (reason := op.refused_indices()) is not None:
        raise instruction.error(reason)
    return op


def scatter_fields(op: stablehlo.ScatterOp, regions: Regions) -> Fields:
    """The inverse of `scatter`. Raises `HLOPrintError` for indices that XLA does not take."""
    if (reason := op.refused_indices()) is not None:
        raise HLOPrintError(f"{op.name}: {reason}")
    return SCATTER.forms[0].fields(op, regions)


def sorted_dimension(op: stablehlo.SortOp) -> int:
    """The dimension, counted from the front."""
    rank = len(tensor_type(op.inputs[0]).get_shape())
    dimension = -1 if op.dimension is None else op.dimension.value.data
    return dimension % rank if rank else 0


ROWS: Mapping[str, Opcode] = {
    "map": described(
        stablehlo.MapOp,
        None,
        Part("", "dimensions", read_mapped_dimensions, mapped_dimensions_field),
        applied(),
    ),
    "reduce": described(stablehlo.ReduceOp, None, prop("dimensions", INTEGERS), applied(), read_operands=paired),
    "reduce-window": described(
        stablehlo.ReduceWindowOp,
        None,
        Part("", "window", read_window, lambda op, regions: {"window": op.window()}),
        applied(),
        read_operands=paired,
    ),
    "scatter": replace(SCATTER, build=scatter, forms=(Form(stablehlo.ScatterOp, scatter_fields),)),
    "select-and-scatter": described(
        stablehlo.SelectAndScatterOp,
        3,
        applied("select"),
        applied("scatter", number=1),
        Part("", "window", read_window, selecting_window),
    ),
    "sort": described(
        stablehlo.SortOp,
        None,
        one_dimension(sorted_dimension),
        prop("is_stable", BOOLEAN, default=False),
        applied(),
    ),
}
