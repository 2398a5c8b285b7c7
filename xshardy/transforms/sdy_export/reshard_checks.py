"""
Checks that explicit reshards can be inserted into a module. They run before anything changes.

Messages are upstream's; where upstream aborts instead, they say how to correct the module.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.ops import MeshOp, ReshardOp
from xshardy.dialects.stablehlo.control_flow import IfOp
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.function_copies import Functions
from xshardy.transforms.sdy.function_shardings import written_shardings
from xshardy.transforms.sdy.op_kinds import traits_of
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy.shardings import shardings_in
from xshardy.transforms.sdy_export.required_shardings import (
    RequiredUse,
    operand_of,
    required_by_call,
    required_by_edges,
    required_by_function,
)
from xshardy.transforms.sdy_export.single_device import device_of, is_on_single_device
from xshardy.transforms.sdy_export.unreduced_axes import axes_to_reduce, moves_to_unreduced, unreduced_axes


class RareFeatures(NamedTuple):
    """Properties that few modules have. A module without them skips the checks and decisions that concern them."""

    unreduced: bool
    """Whether some tensor is unreduced along an axis."""
    single_device: bool
    """Whether some tensor is on a single device."""


def rare_features(module: ModuleOp) -> RareFeatures:
    """The rare features of `module`. Reads each operation once."""
    shardings = [*shardings_in(module)]
    maximal = {op.sym_name.data for op in module.ops if isinstance(op, MeshOp) and op.mesh.is_maximal}
    return RareFeatures(
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

    def __init__(self, module: ModuleOp, functions: Functions, check_conflicts: Callable[[Operation], None]):
        self._module = module
        self._functions = functions
        self._check_conflicts = check_conflicts

    def check(self) -> None:
        """Check all functions of the module."""
        for function in functions_of(self._module).values():
            _check_signature(function)
            for op in operations_in(function):
                traits = traits_of(type(op))
                if traits.has_flow:
                    _check_uses(required_by_edges(op))
                elif isinstance(op, CallOp):
                    _check_uses(required_by_call(op, self._functions.callee(op)))
                elif not traits.forwards_operands:
                    self._check_plain(op)
            _check_uses(required_by_function(function))

    def _check_plain(self, op: Operation) -> None:
        """Check an operation that does not forward its operands."""
        shardings = [sharding_of(result) for result in op.results]
        first = shardings[0] if shardings else None
        if not isinstance(op, IfOp) and any(unreduced_axes(each) != unreduced_axes(first) for each in shardings):
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
            moves_to_unreduced(sharding_of(op.input), first, op)
        device_of(op)
        if unreduced_axes(first):
            self._check_conflicts(op)


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


def _check_uses(uses: Iterable[RequiredUse]) -> None:
    """Check that each operand can be reduced, or become unreduced, as its use requires."""
    for use, required in uses:
        source = sharding_of(operand_of(use))
        axes_to_reduce(source, required, use.operation)
        if source is not None:
            moves_to_unreduced(source, required, use.operation)
