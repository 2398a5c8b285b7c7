"""
Checks that explicit reshards can be inserted into a module. They run before anything changes.

Messages are upstream's where it has a diagnostic; where it aborts, they say how to mend the module.
"""

from collections.abc import Iterable
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.ops import MeshOp, ReshardOp
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.function_copies import Functions
from xshardy.transforms.sdy.function_shardings import written_shardings
from xshardy.transforms.sdy.op_kinds import traits_of
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy.shardings import shardings_in
from xshardy.transforms.sdy_export.factor_conflicts import FactorConflicts
from xshardy.transforms.sdy_export.single_device import device_of, is_on_single_device
from xshardy.transforms.sdy_export.unreduced_axes import axes_to_reduce, becoming_unreduced, unreduced_axes
from xshardy.transforms.sdy_export.wanted_shardings import (
    WantedUse,
    operand_of,
    wanted_by_call,
    wanted_by_edges,
    wanted_by_function,
)


class Peculiarities(NamedTuple):
    """Properties that few modules have. A module without them skips the checks and decisions that concern them."""

    unreduced: bool
    """Whether some tensor is unreduced along an axis."""
    single_device: bool
    """Whether some tensor is on a single device."""


def peculiarities(module: ModuleOp) -> Peculiarities:
    """Those of `module`. Reads each operation once."""
    shardings = [*shardings_in(module)]
    maximal = {op.sym_name.data for op in module.ops if isinstance(op, MeshOp) and op.mesh.is_maximal}
    return Peculiarities(
        any(sharding.unreduced_axes.data for sharding in shardings),
        any(
            sharding.mesh_or_ref.is_maximal
            if isinstance(sharding.mesh_or_ref, MeshAttr)
            else sharding.mesh_name in maximal
            for sharding in shardings
        ),
    )


class ReshardChecks:
    """Raises `OperationFailedException` at the first operation whose shardings no reshard can make compatible."""

    def __init__(self, module: ModuleOp, functions: Functions, conflicts: FactorConflicts, *, full: bool):
        self._module = module
        self._functions = functions
        self._conflicts = conflicts
        self._full = full

    def check(self) -> None:
        """Check all functions of the module."""
        for function in functions_of(self._module).values():
            _check_signature(function)
            for op in operations_in(function):
                traits = traits_of(type(op))
                if traits.has_flow:
                    _check_uses(wanted_by_edges(op))
                elif isinstance(op, CallOp):
                    _check_uses(wanted_by_call(op, self._functions.callee(op)))
                elif not traits.forwards_operands:
                    self._check_plain(op)
            _check_uses(wanted_by_function(function))

    def _check_plain(self, op: Operation) -> None:
        """Check an operation that does not forward its operands."""
        shardings = [sharding_of(result) for result in op.results]
        first = shardings[0] if shardings else None
        if any(unreduced_axes(sharding) != unreduced_axes(first) for sharding in shardings):
            raise OperationFailedException(
                op,
                f"'{op.name}' op has unreduced axes mismatch between results: give all of them the same unreduced axes",
            )
        for operand in op.operands:
            source = sharding_of(operand)
            if not op.results and unreduced_axes(source):
                raise OperationFailedException(
                    op, f"'{op.name}' op has an operand with unreduced axes and no results: reduce the operand first"
                )
            axes_to_reduce(source, first, op)
        if isinstance(op, ReshardOp):
            becoming_unreduced(sharding_of(op.input), first, op)
        device_of(op)
        if not self._full and unreduced_axes(first):
            self._conflicts.settle(op, full=False)


def _check_signature(function: FuncOp) -> None:
    for what, dictionaries, types in (
        ("argument", function.arg_attrs, function.function_type.inputs),
        ("result", function.res_attrs, function.function_type.outputs),
    ):
        for index, sharding in enumerate(written_shardings(dictionaries, len(types))):
            if is_on_single_device(sharding, function):
                raise OperationFailedException(
                    function,
                    f"'{function.name}' op function {what} {index} cannot have a single-device (maximal) sharding "
                    "attribute",
                )


def _check_uses(uses: Iterable[WantedUse]) -> None:
    """Check that the operand of each use can be reduced, or become unreduced, as the use wants."""
    for use, wanted in uses:
        source = sharding_of(operand_of(use))
        axes_to_reduce(source, wanted, use.operation)
        becoming_unreduced(source, wanted, use.operation)
