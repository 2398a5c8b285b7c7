"""Evaluates functions of StableHLO and HLO ops on numpy arrays, op by op."""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import InterpretationError

from xshardy.dialects.stablehlo.scatter import ScatterOp
from xshardy.dialects.stablehlo.select_and_scatter import SelectAndScatterOp
from xshardy.interpreters.stablehlo.asynchronous import ASYNCHRONOUS
from xshardy.interpreters.stablehlo.calls import FunctionsAround
from xshardy.interpreters.stablehlo.checks import CHECKS
from xshardy.interpreters.stablehlo.chlo import CHLO
from xshardy.interpreters.stablehlo.collectives import COLLECTIVES
from xshardy.interpreters.stablehlo.control import CONTROL
from xshardy.interpreters.stablehlo.control_flow import CONTROL_FLOW
from xshardy.interpreters.stablehlo.custom_calls import CUSTOM_CALL
from xshardy.interpreters.stablehlo.dynamic_shapes import DYNAMIC_SHAPES
from xshardy.interpreters.stablehlo.elementwise import ELEMENTWISE
from xshardy.interpreters.stablehlo.legacy import LEGACY
from xshardy.interpreters.stablehlo.linear_algebra import LINEAR_ALGEBRA
from xshardy.interpreters.stablehlo.machine import Evaluator, has_shape
from xshardy.interpreters.stablehlo.normalization import NORMALIZATION
from xshardy.interpreters.stablehlo.parallel_programs import PARALLEL_PROGRAMS
from xshardy.interpreters.stablehlo.quantized import QUANTIZED
from xshardy.interpreters.stablehlo.random_bits import RANDOM_BITS
from xshardy.interpreters.stablehlo.reductions import REDUCTIONS
from xshardy.interpreters.stablehlo.refused import REFUSED
from xshardy.interpreters.stablehlo.rules import Rule, Value
from xshardy.interpreters.stablehlo.scans import SCANS
from xshardy.interpreters.stablehlo.scatter import scatter
from xshardy.interpreters.stablehlo.select_and_scatter import select_and_scatter
from xshardy.interpreters.stablehlo.shapes import SHAPES
from xshardy.interpreters.stablehlo.sharded import SHARDED
from xshardy.interpreters.stablehlo.sorting import SORTING
from xshardy.interpreters.stablehlo.windows import WINDOWS
from xshardy.numerics.element_types import Array, as_tensor_type, stored_dtype

RULES: Mapping[type[Operation], Rule] = {
    **ASYNCHRONOUS,
    **CHECKS,
    **CHLO,
    **COLLECTIVES,
    **CONTROL,
    **CONTROL_FLOW,
    **CUSTOM_CALL,
    **DYNAMIC_SHAPES,
    **ELEMENTWISE,
    **LEGACY,
    **LINEAR_ALGEBRA,
    **NORMALIZATION,
    **PARALLEL_PROGRAMS,
    **QUANTIZED,
    **RANDOM_BITS,
    **REDUCTIONS,
    **REFUSED,
    **SCANS,
    ScatterOp: scatter,
    SelectAndScatterOp: select_and_scatter,
    **SHAPES,
    **SHARDED,
    **SORTING,
    **WINDOWS,
}


def evaluate(
    program: ModuleOp | func.FuncOp, arguments: Sequence[Array], rules: Mapping[type[Operation], Rule] = RULES
) -> list[Array]:
    """
    The results of a function of StableHLO and HLO ops for `arguments`: the reference for kernels.

    For a module, its only public function is evaluated, or @main if there are several. Every op rounds to its own
    element type, unless other `rules` are given. A quantized tensor is given and returned as its stored integers, and a
    tuple flattened. Raises `InterpretationError` for arguments of another type than the function's, and for an op
    without a rule.
    """
    entry = entry_of(program) if isinstance(program, ModuleOp) else program
    evaluator = Evaluator(rules, FunctionsAround(entry))
    values = [given(array, value, entry) for array, value in zip_arguments(entry, arguments)]
    with np.errstate(all="ignore"):
        return flattened(evaluator.call(entry.sym_name.data, values))


def entry_of(module: ModuleOp) -> func.FuncOp:
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    public = [function for function in functions if function.sym_visibility != StringAttr("private")]
    for candidates in (public, [function for function in public if function.sym_name.data == "main"]):
        if len(candidates) == 1:
            return candidates[0]
    names = ", ".join(f"@{function.sym_name.data}" for function in public) or "none"
    raise InterpretationError(f"expected one public function, or one called @main, but the module has {names}")


def zip_arguments(entry: func.FuncOp, arguments: Sequence[Array]) -> list[tuple[Array, SSAValue]]:
    if len(arguments) != len(entry.args):
        raise InterpretationError(
            f"@{entry.sym_name.data} has {len(entry.args)} arguments, but got {len(arguments)} arrays"
        )
    return list(zip(arguments, entry.args, strict=True))


def given(array: Array, argument: SSAValue, entry: func.FuncOp) -> Array:
    """An argument, checked against its type."""
    kind = as_tensor_type(argument.type)
    array = np.asarray(array)
    if kind is None or not has_shape(array, kind.get_shape()) or array.dtype != stored_dtype(kind):
        raise InterpretationError(
            f"an argument of @{entry.sym_name.data} is a {argument.type}, but the array given for it is "
            f"{array.dtype}{list(array.shape)}"
        )
    return array


def flattened(values: Sequence[Value]) -> list[Array]:
    """All tensors in `values`, with tuples flattened."""
    return [array for value in values for array in (flattened(value) if isinstance(value, tuple) else [value])]
