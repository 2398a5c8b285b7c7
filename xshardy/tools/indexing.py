"""
`xshardy indexing FILE`: the indexing maps between the results and the operands of fusions.

For each pair of a result and an operand, the maps in both directions, one a line, in the notation of XLA's documents
and of `parse_indexing_map`. Source: XLA indexing docs.
"""

from collections.abc import Iterator, Mapping

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.hlo import FusionOp
from xshardy.dialects.shapes import is_static
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.indexing.fusions import MapSet, maps_to_operands, maps_to_results
from xshardy.indexing.operations import has_maps, operand_maps


def maps_of_fusion(fusion: FusionOp, *, instructions: bool = False) -> str:
    """
    The text for `fusion`; with `instructions`, also the maps from each instruction to its operands.

    Raises `PassFailedException` if a tensor in it has no static shape.
    """
    computation = fusion.callee_function()
    _require_static_shapes(computation)
    lines = [f"{computation.sym_name.data}:", *_between_results_and_operands(computation)]
    if instructions:
        for op in computation.body.block.ops:
            lines += _of_instruction(op)
    return "\n".join(lines) + "\n"


def _require_static_shapes(computation: FuncOp) -> None:
    for op in computation.walk():
        for value in (*op.operands, *op.results):
            if value.type.name == TensorType.name and not is_static(tensor_type(value)):
                raise PassFailedException(
                    f"@{computation.sym_name.data}: {op.name} has a {value.type}: "
                    "only tensors of static shape have indexing maps"
                )


def _between_results_and_operands(computation: FuncOp) -> Iterator[str]:
    returned = computation.get_return_op()
    operands = {f"operand {i}": value for i, value in enumerate(computation.body.block.args)}
    results = {f"result {i}": value for i, value in enumerate(returned.operands if returned else ())}
    for name, value in {**operands, **results}.items():
        yield f"  {name}: {_described(value)}"
    for name, result in results.items():
        yield from _to_each(name, operands, maps_to_operands(result))
    for name, operand in operands.items():
        yield from _to_each(name, results, maps_to_results(operand))


def _to_each(start: str, ends: Mapping[str, SSAValue], found: Mapping[SSAValue, MapSet]) -> Iterator[str]:
    """The maps from the indices of `start` to those of each of `ends`."""
    for name, value in ends.items():
        yield f"  {start} -> {name}:"
        yield from _maps(found.get(value, ()))


def _of_instruction(op: Operation) -> Iterator[str]:
    """The maps from the result of `op` to its operands, if it has indexing maps and any operands."""
    if not op.results or not op.operands or not has_maps(op):
        return
    yield f"  {_described(op.results[0])} = {op.name}:"
    for i, (operand, maps) in enumerate(zip(op.operands, operand_maps(op), strict=True)):
        yield f"    operand {i}, {_described(operand)}:"
        yield from (f"  {line}" for line in _maps(maps))


def _maps(maps: MapSet) -> Iterator[str]:
    if maps is None:
        yield "    unknown: any element"
    elif not maps:
        yield "    not used"
    else:
        yield from (f"    {map}" for map in maps)


def _described(value: SSAValue) -> str:
    return f"%{value.name_hint or '?'} {value.type}"
