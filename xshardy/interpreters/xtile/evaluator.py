"""Executes kernels of tiles, one tile after the other."""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import InterpretationError
from xdsl.utils.hints import isa

from xshardy.dialects.xtile import EntryFuncOp
from xshardy.interpreters.stablehlo.evaluator import RULES as STABLEHLO
from xshardy.interpreters.stablehlo.evaluator import evaluate as evaluate_function
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule
from xshardy.interpreters.xtile.rules import XTILE
from xshardy.numerics.element_types import Array, numpy_dtype

RULES: Mapping[type[Operation], Rule] = {**STABLEHLO, **XTILE}


def evaluate(function: func.FuncOp, arguments: Sequence[Array]) -> list[Array]:
    """The results of a function of tensors that has operations of xtile. Raises `InterpretationError` as for others."""
    return evaluate_function(function, arguments, RULES)


def run_tiles(module: ModuleOp, arguments: Sequence[Array], tiles: int) -> list[Array]:
    """
    The buffers of the only entry function of `module` after it has run for the tiles 0, 1, ..., `tiles - 1`.

    `arguments` are its buffers, each in the shape of its memref whatever its layout, and its opaque arguments. Buffers
    are copied before. Raises `InterpretationError` for arguments of other types, and for operations without a rule.
    """
    entries = [op for op in module.ops if isinstance(op, EntryFuncOp)]
    if len(entries) != 1:
        raise InterpretationError(f"expected one xtile.entry_func, but the module has {len(entries)}")
    (entry,) = entries
    types = entry.function_type.inputs.data[:-1]
    if len(arguments) != len(types):
        raise InterpretationError(
            f"@{entry.sym_name.data} has {len(types)} arguments and the number of the tile, but got {len(arguments)}"
        )
    values = [_given(entry, *pair) for pair in zip(arguments, types, strict=True)]
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
    with np.errstate(all="ignore"):
        for tile in range(tiles):
            Evaluator(RULES, functions).run(entry.body.block, [*values, np.asarray(tile)])
    return values[: len(types) - entry.opaque_count]


def _given(entry: EntryFuncOp, array: Array, type: Attribute) -> Array:
    """A copy of an argument, checked against its type."""
    array = np.array(array)
    shape, element = (type.get_shape(), type.element_type) if isa(type, MemRefType) else ((), type)
    if array.shape != shape or array.dtype != numpy_dtype(element):
        raise InterpretationError(
            f"an argument of @{entry.sym_name.data} is a {type}, but the array given for it is "
            f"{array.dtype}{list(array.shape)}"
        )
    return array
