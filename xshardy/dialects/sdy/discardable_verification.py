"""
The attributes through which shardings reach the operations of other dialects, verified wherever they stand.

Source: rows SDY-DATTR-01 to SDY-DATTR-04. `dialects/discardable.py` calls this for every operation.
"""

from collections.abc import Iterable, Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, FunctionType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.discardable import DiscardableAttributeVerifier
from xshardy.dialects.sdy.attributes.edges import (
    AxisToPropagationDetailsAttr,
    EdgeValueRefAttr,
    PropagationEdgesAttr,
)
from xshardy.dialects.sdy.attributes.enums import EdgeNodeType
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.rule_verification import verify_sharding_rule
from xshardy.dialects.sdy.value_shardings import (
    BLOCK_ARG_PROPAGATION_EDGES,
    PROPAGATION_EDGES,
    RESULT_PROPAGATION_EDGES,
    SHARDING,
    SHARDING_RULE,
    common_mesh,
    get_sharding,
)
from xshardy.dialects.sdy.verification import verify_sharding, verify_sharding_per_value


class SdyAttributeVerifier(DiscardableAttributeVerifier):
    """Verifies `sdy.sharding`, `sdy.sharding_rule` and the records of propagation."""

    def verify_operation_attribute(self, op: Operation, name: str, attribute: Attribute) -> None:
        if (verify := _ON_OPERATIONS.get(name)) is not None:
            verify(op, attribute)

    def verify_argument_attribute(self, op: Operation, index: int, name: str, attribute: Attribute) -> None:
        if isinstance(op, FuncOp):
            _verify_function_value(op, name, attribute, _function_type(op).inputs.data, index, "arg")

    def verify_result_attribute(self, op: Operation, index: int, name: str, attribute: Attribute) -> None:
        if isinstance(op, FuncOp):
            _verify_function_value(op, name, attribute, _function_type(op).outputs.data, index, "result")


def _function_type(op: FuncOp) -> FunctionType:
    """The type of a function that may not have been verified yet."""
    type = op.properties.get("function_type")
    if not isinstance(type, FunctionType):
        raise VerifyException("property 'function_type' expected in func.func")
    return type


def _verify_function_value(
    op: FuncOp, name: str, attribute: Attribute, types: Sequence[Attribute], index: int, what: str
) -> None:
    if name != SHARDING:
        return
    if index >= len(types):
        raise VerifyException(
            f"{what} {index} has attributes, but the function has {len(types)} {what}s: give each one a dictionary"
        )
    prefix = f"{what} {index} - "
    if not isinstance(attribute, TensorShardingAttr):
        raise VerifyException(f"{prefix}should have a sharding attribute of type TensorShardingAttr")
    verify_sharding(attribute, types[index], op, prefix)


def _verify_sharding(op: Operation, attribute: Attribute) -> None:
    if not isinstance(attribute, TensorShardingPerValueAttr):
        raise VerifyException("should have a sharding attribute of type TensorShardingPerValueAttr")
    verify_sharding_per_value(attribute, op.result_types, op, "result")


def _verify_rule(op: Operation, attribute: Attribute) -> None:
    if not isinstance(attribute, OpShardingRuleAttr):
        raise VerifyException(
            f"should have a sharding rule attribute of type OpShardingRuleAttr for attr named '{SHARDING_RULE}'"
        )
    verify_sharding_rule(attribute, op)


def _verify_edges(op: Operation, attribute: Attribute) -> None:
    if not isinstance(attribute, PropagationEdgesAttr):
        raise VerifyException(
            "should have a propagation edges attribute of type PropagationEdgesAttr for attr named "
            f"'{PROPAGATION_EDGES}'"
        )
    entries = [entry for step in attribute.steps for entry in step.axis_entries]
    shardings = [sharding for ref in _refs(entries) if (sharding := _sharding_of(ref, op)) is not None]
    if not shardings:
        raise VerifyException("expected propagation edges attr to reference a sharding.")
    mesh = common_mesh(shardings, op)
    if mesh is None:
        raise VerifyException("expected a common mesh for propagation edges attr.")
    for entry in entries:
        if entry.axis_name.axis.data not in mesh.sizes:
            raise VerifyException("expected axis ref to be in one of the meshes")
        for ref in _refs([entry]):
            _verify_ref(ref, op)


def _refs(entries: Iterable[AxisToPropagationDetailsAttr]) -> Iterable[EdgeValueRefAttr]:
    for entry in entries:
        yield entry.source
        yield from entry.targets


def _values(ref: EdgeValueRefAttr, op: Operation) -> tuple[str, tuple[SSAValue, ...]]:
    """The kind of value that `ref` refers to, with its article, and the values of `op` of that kind."""
    if ref.type.data is EdgeNodeType.RESULT:
        return "a result", tuple(op.results)
    return "an operand", tuple(op.operands)


def _sharding_of(ref: EdgeValueRefAttr, op: Operation) -> TensorShardingAttr | None:
    _, values = _values(ref, op)
    return get_sharding(values[ref.index.data]) if 0 <= ref.index.data < len(values) else None


def _verify_ref(ref: EdgeValueRefAttr, op: Operation) -> None:
    if op.name == "sdy.func_data_flow_edge":  # its edges speak of the values of calls and functions elsewhere
        return
    kind, values = _values(ref, op)
    if not 0 <= ref.index.data < len(values):
        raise VerifyException(
            f"expected a value ref to have {kind} index in range [0, {len(values)}), got: {ref.index.data}"
        )


def _verify_edges_per_value(op: Operation, attribute: Attribute) -> None:
    entries = cast(ArrayAttr[Attribute], attribute) if isinstance(attribute, ArrayAttr) else None
    if entries is None or not all(isinstance(entry, PropagationEdgesAttr) for entry in entries):
        raise VerifyException(
            "should have a propagation edges attribute of type ArrayAttr<PropagationEdgesAttr> for attr named "
            f"'{RESULT_PROPAGATION_EDGES}' or '{BLOCK_ARG_PROPAGATION_EDGES}'"
        )


_ON_OPERATIONS = {
    SHARDING: _verify_sharding,
    SHARDING_RULE: _verify_rule,
    PROPAGATION_EDGES: _verify_edges,
    RESULT_PROPAGATION_EDGES: _verify_edges_per_value,
    BLOCK_ARG_PROPAGATION_EDGES: _verify_edges_per_value,
}
