"""Invariants of operations that upstream verifies and xDSL 0.75 does not: a row per operation."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation, Region
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import VerifyException

if TYPE_CHECKING:
    from xdsl.dialects import func, scf


def _is_function(op: "func.FuncOp") -> None:
    """
    A function is in a symbol table; without a body it is private or nested.

    The attributes of its arguments and results are those of a dialect.
    """
    around = op.parent_op()
    if around is not None and not around.has_trait(SymbolTable, value_if_unregistered=True):
        raise VerifyException(
            f"symbol's parent must have the SymbolTable trait, which '{around.name}' does not: move the function into "
            "the module"
        )
    if not op.body.blocks and (op.sym_visibility is None or op.sym_visibility.data == "public"):
        raise VerifyException(
            "symbol declaration cannot have public visibility: give the function a body, or declare it `private`"
        )
    for of, attributes in (("arguments", op.arg_attrs), ("results", op.res_attrs)):
        for name in (name for each in attributes or () for name in each.data if "." not in name):
            raise VerifyException(f"{of} may only have dialect attributes: call '{name}' 'a_dialect.{name}'")


def _branches_yield_results(op: "scf.IfOp") -> None:
    """Each branch yields the results."""
    if op.results and not op.false_region.blocks:
        raise VerifyException("must have an else block if defining values")
    for region in op.regions:
        _yields_results(op, region)


def _yields_results(op: Operation, region: Region) -> None:
    last = region.blocks[-1].last_op if region.blocks else None
    if last is None or last.name != "scf.yield":
        return  # xDSL checks which terminators there are
    edge = "along control flow edge from Operation scf.yield to parent"
    if len(last.operands) != len(op.results):
        raise VerifyException(
            f"{edge}: region branch point has {len(last.operands)} operands, "
            f"but region successor needs {len(op.results)} inputs"
        )
    for index, (operand, result) in enumerate(zip(last.operands, op.results, strict=True)):
        if operand.type != result.type:
            raise VerifyException(
                f"{edge}: successor operand type #{index} '{operand.type}' should match successor input type "
                f"#{index} '{result.type}'"
            )


def _one_operand_per_dynamic_index(*lists: tuple[str, str]) -> Callable[[Operation], None]:
    """
    Each list of indices, (operands, static indices), has an operand for each of its indices that is not static.

    Upstream cannot write another list; here the index -2^63 itself stands for one that is not static.
    """

    def check(op: Any) -> None:
        for operands, static in lists:
            dynamic, needed = len(getattr(op, operands)), getattr(op, static).get_values().count(DYNAMIC_INDEX)
            if dynamic != needed:
                raise VerifyException(f"expected {needed} dynamic {operands}, one for each in {static}, got {dynamic}")

    return check


INVARIANTS: Mapping[str, Callable[[Any], None]] = {
    "func.func": _is_function,
    "scf.if": _branches_yield_results,
    "tensor.pad": _one_operand_per_dynamic_index(("low", "static_low"), ("high", "static_high")),
    "tensor.parallel_insert_slice": _one_operand_per_dynamic_index(
        ("offsets", "static_offsets"), ("sizes", "static_sizes"), ("strides", "static_strides")
    ),
}
"""By the name of the operation, so that no dialect is loaded for its row. Each raises `VerifyException`."""


def verify_upstream_invariants(op: Operation) -> None:
    """Check the invariants of `op`, not those of the operations in it. Raises `VerifyException`."""
    if (check := INVARIANTS.get(op.name)) is not None:
        check(op)
