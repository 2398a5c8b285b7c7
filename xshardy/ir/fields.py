"""What xDSL keeps in private fields: fast access to what its properties give, and what it has no property for."""

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.core import SSAValues

operands_of: Callable[[Operation], SSAValues] = attrgetter("_operands")
"""`op.operands` as a tuple: read in a quarter of the time, as xDSL makes a view that looks each operand up."""

successors_of: Callable[[Operation], tuple[Block, ...]] = attrgetter("_successors")
"""`op.successors` as a tuple."""


def operations_of_block(block: Block) -> Iterator[Operation]:
    """The operations of `block`, which does not change meanwhile: faster than `block.ops`."""
    op = block._first_op
    while op is not None:
        yield op
        op = op._next_op


def users_of(value: SSAValue) -> Iterator[Operation]:
    """The operations that use `value`, once for each use, the last one first."""
    use = value.first_use
    while use is not None:
        yield use._operation
        use = use._next_use


def values_defined_by(op: Operation) -> Iterator[SSAValue]:
    """The results of `op`, and the arguments of its blocks."""
    yield from op.results
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def set_type(value: SSAValue, type: Attribute) -> None:
    """Give `value` another type, whatever uses it."""
    value._type = type


def set_arguments(block: Block, arguments: tuple[Any, ...]) -> None:
    """Give `block`, which has no arguments, these, which are made for it."""
    block._args = arguments


def _closed_over(function: Any, name: str) -> Any:
    """The variable `name` of the function around `function`; None if it reads none of that name."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    return cells[name].cell_contents if name in cells else None


def expected_type_of(match_and_rewrite: Any) -> Any:
    """The type hint that `op_type_rewrite_pattern` of xDSL keeps in a closure; None for what it does not decorate."""
    return _closed_over(match_and_rewrite, "expected_type")


def definition_of(verify: Any) -> Any:
    """The definition that xDSL made the method `verify_` of a class from; None for a method that it did not make."""
    return _closed_over(verify, "op_def")


def written_verification_of(verify: Any) -> Callable[[Any], None] | None:
    """The `verify_` that a class was written with, which xDSL's method calls; None if there is none."""
    return _closed_over(verify, "custom_verify")
