"""Rules of operations of other dialects: registered by class, and diagnosed where they do not fit."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from xdsl.dialects.builtin import IntegerAttr, TensorType, f32, i64
from xdsl.dialects.test import TestOp
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import IRDLOperation, attr_def, irdl_op_definition, operand_def, result_def

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.interfaces import ShardingRuleOpInterface
from xshardy.sharding.rules import (
    Factor,
    FactorType,
    InvalidRule,
    Row,
    Shapes,
    ShardingRules,
    build_rule,
    register_rule,
    registry,
    shape_of,
    sharding_rule,
)
from xshardy.syntax import parse_module, print_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_propagation.basic_propagate import BasicPropagatePass
from xshardy.transforms.sdy_propagation.populate_op_sharding_rules import PopulateOpShardingRulesPass
from xshardy.universe import new_context

MATRIX = TensorType(f32, [8, 4])


@irdl_op_definition
class CumsumOp(IRDLOperation):
    """The sums along dimension `dim`."""

    name = "theirs.cumsum"
    matrix = operand_def(TensorType[Attribute])
    dim = attr_def(IntegerAttr)
    result = result_def(TensorType[Attribute])


@irdl_op_definition
class ScaleOp(IRDLOperation, ShardingRuleOpInterface):
    """An operation whose rule is for rank 2 and one operand, whatever its operands are."""

    name = "theirs.scale"
    matrix = operand_def(TensorType[Attribute])
    result = result_def(TensorType[Attribute])

    def sharding_rule(self) -> OpShardingRuleAttr:
        rows, columns = shape_of(self.matrix.type)
        return build_rule(Shapes(((8, 4),), ((8, 4),)), [Factor((0,), (0,), rows), Factor((1,), (1,), columns)])


def cumsum_op(dim: int = 1) -> CumsumOp:
    source = TestOp(result_types=[MATRIX]).res[0]
    return CumsumOp(operands=[source], result_types=[MATRIX], attributes={"dim": IntegerAttr(dim, i64)})


def cumsum(shapes: Shapes, dim: int) -> Iterable[Factor]:
    for position, size in enumerate(shapes.results[0]):
        yield shapes.factor(position, size, FactorType.NEED_REPLICATION if position == dim else FactorType.PASS_THROUGH)


def dim_of(op: CumsumOp) -> int:
    return op.dim.value.data


@pytest.fixture(autouse=True)
def no_registered_rules(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(registry, "_registered", {})


def text(rule: OpShardingRuleAttr | None) -> str:
    return "" if rule is None else str(rule).removeprefix("#sdy.op_sharding_rule")


def test_a_rule_is_registered_for_a_class():
    assert sharding_rule(cumsum_op()) is None
    register_rule(CumsumOp, Row(cumsum, dim_of))
    assert text(sharding_rule(cumsum_op())) == "<([i, j])->([i, j]) {i=8, j=4} need_replication={j}>"


def test_a_rule_from_shapes_only_needs_no_row():
    register_rule(CumsumOp, lambda shapes, parameters: [Factor((0,), (0,), 8)])
    assert text(sharding_rule(cumsum_op())) == "<([i, j])->([i, k]) {i=8, j=1, k=1}>"


@pytest.mark.parametrize("operation", [CumsumOp, stablehlo.TanhOp, stablehlo.ConstantOp])
def test_a_class_has_one_rule(operation: type[Operation]):
    if operation is CumsumOp:
        register_rule(CumsumOp, Row(cumsum, dim_of))
    with pytest.raises(ValueError, match=f"'{operation.name}' .* has a sharding rule already"):
        register_rule(operation, lambda shapes, parameters: ())


PROGRAM = """
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @f(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
  %0 = "theirs.cumsum"(%x) {dim = 0} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = "theirs.cumsum"(%x) {dim = 1} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  "test.op"(%0, %1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> ()
  func.return
}
"""


def test_rules_that_depend_on_attributes_are_not_shared():
    register_rule(CumsumOp, Row(cumsum, dim_of))
    context = new_context()
    context.load_dialect(Dialect("theirs", [CumsumOp]))
    module = parse_module(PROGRAM, "program", context)
    BasicPropagatePass(keep_sharding_rules=True).apply(context, module)
    lines = [line for line in print_module(module).splitlines() if "theirs.cumsum" in line]
    assert "need_replication={i}" in lines[0] and "need_replication={j}" in lines[1]
    assert all('[{"a", ?}, {"b", ?}]' in line for line in lines), "shardings propagate through both"


Factors = Callable[[Shapes, Any], Iterable[Factor]]

WRONG: dict[str, tuple[Factors, str]] = {
    "operand arity": (
        lambda shapes, _: [Factor((0, 0), (0,), 8)],
        "factor 0 (size 8) has 2 operand dimensions for 1 operands: give one for each operand",
    ),
    "result arity": (
        lambda shapes, _: [Factor((0,), (0,), 8), Factor((1,), (), 4)],
        "factor 1 (size 4) has 0 result dimensions for 1 results: give one for each result",
    ),
    "no such dimension": (
        lambda shapes, _: [Factor((2,), (0,), 8)],
        "factor 0 (size 8) walks dimension 2 of operand 0, which has rank 2: give a dimension below the rank, or None",
    ),
    "negative dimension": (
        lambda shapes, _: [Factor((0,), (-1,), 8)],
        "factor 0 (size 8) walks dimension -1 of result 0, which has rank 2",
    ),
    "size": (
        lambda shapes, _: [Factor((0,), (1,), 8)],
        "dimension 1 of result 0 has size 4, but its factors have 8 (factor 0): correct a size or a dimension",
    ),
    "product of sizes": (
        lambda shapes, _: [Factor((0,), (0,), 2), Factor((0,), (0,), 2)],
        "dimension 0 of operand 0 has size 8, but its factors have 2 (factor 0) x 2 (factor 1)",
    ),
    "reduction in a result": (
        lambda shapes, _: [Factor((0,), (0,), 8, FactorType.REDUCTION)],
        "reduction factor cannot be in result mappings",
    ),
    "an exception": (lambda shapes, _: [Factor((0,), (0,), shapes.results[1][0])], "IndexError: tuple index"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_registered_rule_that_does_not_fit(wrong: str):
    factors, message = WRONG[wrong]
    register_rule(CumsumOp, factors)
    with pytest.raises(InvalidRule) as caught:
        sharding_rule(cumsum_op())
    start = "'theirs.cumsum' op has a sharding rule (registered for CumsumOp) that does not fit: "
    assert str(caught.value).startswith(start + message)


def test_a_dimension_with_a_special_factor_may_have_another_size():
    register_rule(CumsumOp, lambda shapes, _: [Factor((0,), (0,), 6, FactorType.PERMUTATION)])
    assert text(sharding_rule(cumsum_op())) == "<([i, j])->([i, k]) {i=6, j=1, k=1} permutation={i}>"


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((8, 8), r"dimension 1 of result 0 has size 4, but its factors have 8 \(factor 1\)"),
        ((8,), "ValueError: not enough values to unpack"),
    ],
)
def test_an_implemented_rule_that_does_not_fit(shape: tuple[int, ...], message: str):
    source = TestOp(result_types=[TensorType(f32, shape)]).res[0]
    op = ScaleOp(operands=[source], result_types=[MATRIX])
    start = r"'theirs.scale' op has a sharding rule \(ScaleOp.sharding_rule\) that does not fit: "
    with pytest.raises(InvalidRule, match=start + message):
        ShardingRules().factor_rule(op)


def test_an_implemented_rule_for_other_tensors():
    source = TestOp(result_types=[TensorType(f32, [8, 4])]).res[0]
    op = ScaleOp(operands=[source], result_types=[TensorType(f32, [8, 4, 2])])
    with pytest.raises(InvalidRule, match="result - mapping rank must match: 2 != 3"):
        ShardingRules().factor_rule(op)


@pytest.mark.parametrize("pass_", [BasicPropagatePass(), PopulateOpShardingRulesPass()], ids=lambda pass_: pass_.name)
def test_passes_report_the_operation(pass_: BasicPropagatePass | PopulateOpShardingRulesPass):
    register_rule(CumsumOp, WRONG["size"][0])
    context = new_context()
    context.load_dialect(Dialect("theirs", [CumsumOp]))
    module = parse_module(PROGRAM, "program", context)
    before = print_module(module)
    with pytest.raises(OperationFailedException, match=r"has a sharding rule .* that does not fit") as caught:
        pass_.apply(context, module)
    assert isinstance(caught.value.operation, CumsumOp)
    assert print_module(module) == before
