"""
The discardable attributes of operations, functions and function arguments, and their meaning.

They are written `xla.NAME`; `xla_gpu.NAME` is read as well. Source: row XGPU-30, the signatures of XLA's kernels.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i32,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.hints import isa

from xshardy.affine.interval import Interval
from xshardy.dialects.attribute_names import xla_attribute
from xshardy.dialects.function_attributes import attributes_of_argument
from xshardy.dialects.xla_gpu.ops import ApplyIndexingOp, LoopOp

RANGE = "xla.range"
"""`[0 : index, 127 : index]`, both included: the values that a result or an argument takes."""
SLICE_INDEX = "xla.slice_index"
"""On an argument of a kernel: the number of the buffer. Arguments of one number are the same buffer."""
INVARIANT = "xla.invariant"
"""On an argument of a kernel: the buffer is not written while the kernel runs."""
ENTRY = "xla.entry"
"""On a function: it is the kernel. A module with a single public function does not need it."""
NOT_INVARIANT = "xla.not_invariant"
"""On an argument of a kernel: other devices may write the buffer while the kernel runs, so that it may have aliases."""
PRIVATE = StringAttr("private")

KNOWN_BLOCK_SIZE = "gpu.known_block_size"
"""On a kernel: the threads of a block along x, y and z, as MLIR's gpu dialect writes it."""
KNOWN_GRID_SIZE = "gpu.known_grid_size"
"""On a kernel: the blocks of the grid along x, y and z."""


# -- Ranges -----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def range_attr(interval: Interval) -> ArrayAttr[IntegerAttr[IndexType]]:
    """`[lower : index, upper : index]`."""
    return ArrayAttr([IntegerAttr(interval.lower, IndexType()), IntegerAttr(interval.upper, IndexType())])


def set_range(op: Operation, interval: Interval) -> None:
    """Promise that the result of `op` lies in `interval`."""
    op.attributes[RANGE] = range_attr(interval)


def get_range(value: SSAValue | Operation) -> Interval | None:
    """
    The values that an integer or index value takes, if it is known without looking at its operands.

    Known are: constants, results of `apply_indexing`, induction variables of an `scf.for` with constant bounds, map
    results and induction variables of an `xla_gpu.loop`, and what has an `xla.range`.
    """
    value = SSAValue.get(value)
    if isinstance(value, OpResult):
        return _range_of_result(value)
    assert isinstance(value, BlockArgument)
    match value.block.parent_op():
        case FuncOp() as function:
            return _interval(xla_attribute(attributes_of_argument(function, value.index), RANGE))
        case scf.ForOp() as loop if value.index == 0:
            bounds = constant_value(loop.lb), constant_value(loop.ub)
            if bounds[0] is None or bounds[1] is None or bounds[0] >= bounds[1]:
                return None
            return Interval(bounds[0], bounds[1] - 1)
        case LoopOp() as loop:
            return _range_of_loop_argument(loop, value.index)
        case _:
            return None


def stated_range(value: SSAValue) -> Interval | None:
    """The `xla.range` of the result of an operation or of the argument of a function; None without one."""
    if isinstance(value, OpResult):
        return _interval(xla_attribute(value.op.attributes, RANGE))
    function = value.owner.parent_op() if isinstance(value.owner, Block) else None
    if not isinstance(value, BlockArgument) or not isinstance(function, FuncOp):
        return None
    return _interval(xla_attribute(attributes_of_argument(function, value.index), RANGE))


def _range_of_result(value: OpResult) -> Interval | None:
    match value.op:
        case ApplyIndexingOp() as op:
            return op.map.range_of(op.map.results[value.index])
        case arith.ConstantOp():
            constant = constant_value(value)
            return None if constant is None else Interval(constant, constant)
        case op:
            return _interval(xla_attribute(op.attributes, RANGE))


def _range_of_loop_argument(loop: LoopOp, index: int) -> Interval | None:
    induction_vars = len(loop.induction_vars)
    if index < induction_vars:
        return loop.map.symbol_intervals[index]
    if index < induction_vars + len(loop.map.results):
        return loop.map.range_in_domain(loop.map.results[index - induction_vars])  # the body runs nowhere else
    return None


def constant_value(value: SSAValue) -> int | None:
    """The integer that an `arith.constant` gives, or None."""
    op = value.owner
    if type(op) is not arith.ConstantOp:
        return None
    constant = op.properties["value"]
    return constant.value.data if isinstance(constant, IntegerAttr) else None


def _interval(attr: Attribute | None) -> Interval | None:
    if not isinstance(attr, ArrayAttr):
        return None
    bounds = [bound.value.data for bound in cast(ArrayAttr[Attribute], attr) if isinstance(bound, IntegerAttr)]
    return Interval(*bounds) if len(bounds) == 2 and bounds[0] <= bounds[1] else None


# -- Kernels ----------------------------------------------------------------------------------------------------------


def is_entry(function: FuncOp) -> bool:
    """Whether the function is marked as the kernel."""
    return xla_attribute(function.attributes, ENTRY) is not None


def entry_function(module: ModuleOp) -> FuncOp | None:
    """
    The kernel of `module`: the first function that is marked, or else the only public one with a body.

    None if no function is marked, and none or several are public.
    """
    functions = [op for op in module.ops if isinstance(op, FuncOp)]
    if (marked := next(filter(is_entry, functions), None)) is not None:
        return marked
    public = [op for op in functions if not op.is_declaration and op.sym_visibility != PRIVATE]
    return public[0] if len(public) == 1 else None


def set_entry(function: FuncOp) -> None:
    """Make the function the kernel."""
    function.attributes[ENTRY] = UnitAttr()


def is_invariant(value: SSAValue) -> bool:
    """Whether the value is an argument whose buffer is not written while the kernel runs."""
    return _argument_attribute(value, INVARIANT) is not None


def slice_index(value: SSAValue) -> int | None:
    """The number of the buffer behind an argument, or None if the value is not an argument or has none."""
    index = _argument_attribute(value, SLICE_INDEX)
    return index.value.data if isinstance(index, IntegerAttr) else None


def _argument_attribute(value: SSAValue, name: str) -> Attribute | None:
    if not isinstance(value, BlockArgument) or not isinstance(function := value.block.parent_op(), FuncOp):
        return None
    return xla_attribute(attributes_of_argument(function, value.index), name)


def set_launch_dimensions(function: FuncOp, block: Sequence[int], grid: Sequence[int]) -> None:
    """Say that the kernel runs on a grid of blocks of threads, each given along x, y and z."""
    function.attributes[KNOWN_BLOCK_SIZE] = DenseArrayBase.from_list(i32, list(block))
    function.attributes[KNOWN_GRID_SIZE] = DenseArrayBase.from_list(i32, list(grid))


def launch_dimensions(function: FuncOp) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The threads of a block and the blocks of the grid, each along x, y and z; None if the kernel does not say."""
    block, grid = (function.attributes.get(name) for name in (KNOWN_BLOCK_SIZE, KNOWN_GRID_SIZE))
    if not isa(block, DenseArrayBase[IntegerType]) or not isa(grid, DenseArrayBase[IntegerType]):
        return None
    return block.get_values(), grid.get_values()
