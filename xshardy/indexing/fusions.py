"""
Indexing maps through whole computations: compositions of the maps of operations, along every path.

Tuples, calls and fusions are transparent. Source: XLA indexing docs, "Indexing Maps for Fusion".
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, SSAValue

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.hlo import FusionOp
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.control_flow import OptimizationBarrierOp
from xshardy.dialects.stablehlo.tuples import GetTupleElementOp, TupleOp
from xshardy.dialects.symbols import find_function
from xshardy.indexing.element_calls import element_maps
from xshardy.indexing.operations import Maps, has_maps, operand_maps, result_maps

MapSet = tuple[IndexingMap, ...] | None
"""The distinct maps of a value; None: unknown, any element may be accessed."""

MAX_MAPS = 32
"""The maximal number of maps followed: every operation on a path may double it."""


def maps_to_operands(root: SSAValue) -> Mapping[SSAValue, MapSet]:
    """
    The maps from the indices of `root` to those of every value of its block that it depends on, parameters included.

    Equal maps are merged. The operands of an operation without indexing maps have None.
    """
    root = element_behind_tuples(root)
    block = root.owner if isinstance(root.owner, Block) else root.owner.parent_block()
    found: dict[SSAValue, MapSet] = {root: (IndexingMap.identity(shape_of(root)),)}
    for op in reversed(list(block.ops)) if block is not None else ():
        for result in op.results:
            if result in found:
                for operand, maps in operand_reads(result, found[result]):
                    found[operand] = union_of_maps(found.get(operand, ()), maps)
    return found


def maps_to_results(value: SSAValue) -> Mapping[SSAValue, MapSet]:
    """
    The maps from the indices of `value` to those of every value of its block that depends on it.

    Otherwise as `maps_to_operands`.
    """
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent_block()
    found: dict[SSAValue, MapSet] = {value: (IndexingMap.identity(shape_of(value)),)}
    for op in block.ops if block is not None else ():
        if isinstance(op, TupleOp):
            continue
        for result in op.results:
            for i, operand in enumerate(map(element_behind_tuples, _operands(op, result))):
                if operand in found:
                    steps = _steps(op, result, result_maps, call_result_maps)
                    maps = _composed(found[operand], None if steps is None else steps[i])
                    found[result] = union_of_maps(found.get(result, ()), maps)
    return found


def call_operand_maps(op: CallOp | FusionOp, result: int = 0) -> tuple[MapSet, ...]:
    """
    For each operand of a call or a fusion, the maps from its result number `result`; no maps for an unused operand.
    """
    if (maps := element_maps(op)) is not None:
        return tuple((map,) for map in maps)
    function = _callee(op)
    found = maps_to_operands(_returned(function)[result])
    return tuple(found.get(parameter, ()) for parameter in function.body.block.args)


def call_result_maps(op: CallOp | FusionOp, result: int = 0) -> tuple[MapSet, ...]:
    """For each operand of a call or a fusion the maps to its result number `result`."""
    function = _callee(op)
    returned = _returned(function)[result]
    return tuple(maps_to_results(parameter).get(returned, ()) for parameter in function.body.block.args)


def element_behind_tuples(value: SSAValue) -> SSAValue:
    """`get_tuple_element(tuple(x, y), 0)` -> `x`; any other value unchanged."""
    while isinstance(value.owner, GetTupleElementOp) and isinstance(value.owner.operand.owner, TupleOp):
        value = value.owner.operand.owner.operands[value.owner.index.value.data]
    return value


def operand_reads(result: SSAValue, maps: MapSet) -> Iterable[tuple[SSAValue, MapSet]]:
    """The operands that `result`, which is read by `maps`, depends on, each with the maps by which it is read then."""
    op = result.owner
    assert isinstance(op, Operation)
    steps = _steps(op, result, operand_maps, call_operand_maps)
    for i, operand in enumerate(_operands(op, result)):
        yield element_behind_tuples(operand), _composed(maps, None if steps is None else steps[i])


def _operands(op: Operation, result: SSAValue) -> Sequence[SSAValue]:
    """The operands that one result depends on."""
    return [op.operands[op.results.index(result)]] if isinstance(op, OptimizationBarrierOp) else op.operands


def _steps(
    op: Operation,
    result: SSAValue,
    of_operation: Callable[[Operation], Maps],
    of_call: Callable[[CallOp | FusionOp, int], tuple[MapSet, ...]],
) -> Sequence[MapSet] | None:
    """The maps between `result` and each of `_operands`, in one direction; None if `op` has none."""
    match op:
        case OptimizationBarrierOp():
            return [(IndexingMap.identity(shape_of(result)),)]
        case CallOp() | FusionOp():
            return of_call(op, op.results.index(result))
        case _:
            return of_operation(op) if has_maps(op) else None


@lru_cache(maxsize=4096)
def _composed(first: MapSet, second: MapSet) -> MapSet:
    """All compositions of a map of `first` with a map of `second`, simplified. The layers of a model have the same."""
    if first is None or second is None or len(first) * len(second) > MAX_MAPS:
        return None
    return tuple(dict.fromkeys(a.then(b).simplify().remove_unused_symbols() for a in first for b in second))


def union_of_maps(first: MapSet, second: MapSet) -> MapSet:
    """The distinct maps of both."""
    if first is None or second is None:
        return None
    maps = tuple(dict.fromkeys((*first, *second)))
    return maps if len(maps) <= MAX_MAPS else None


def _callee(op: CallOp | FusionOp) -> FuncOp:
    """The called function. Raises `NotImplementedError` if it has no body."""
    callee = find_function(op, op.callee)
    if callee is None or not callee.body.blocks:
        raise NotImplementedError(f"no indexing maps for {op.name} of {op.callee}: the module has no body for it")
    return callee


def _returned(function: FuncOp) -> Sequence[SSAValue]:
    returned = function.get_return_op()
    return () if returned is None else returned.operands
