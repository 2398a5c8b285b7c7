"""Where a rule comes from: the attribute, the operation itself, the table; and rules that operations share."""

import importlib.util
import re
from importlib import import_module
from pathlib import Path

import pytest
from xdsl.dialects.builtin import TensorType, f32, i32
from xdsl.dialects.test import TestOp
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.interfaces import ShardingRuleOpInterface
from xshardy.dialects.sdy.value_shardings import SHARDING_RULE
from xshardy.sharding.rules import Factor, FactorType, Shapes, ShardingRules, build_rule, sharding_rule
from xshardy.sharding.rules.registry import FAMILIES, row_of

ROOT = Path(__file__).parents[4]
MATRIX = TensorType(f32, [8, 4])


def matrix() -> TestOp:
    return TestOp(result_types=[MATRIX])


def text(rule: OpShardingRuleAttr | None) -> str:
    return "" if rule is None else str(rule).removeprefix("#sdy.op_sharding_rule")


@irdl_op_definition
class RowOp(IRDLOperation, ShardingRuleOpInterface):
    name = "other.row"
    matrix = operand_def(TensorType)
    result = result_def(TensorType)

    def sharding_rule(self) -> OpShardingRuleAttr:
        return build_rule(Shapes(((8, 4),), ((8, 4),)), [Factor((0,), (0,), 8)])


def test_an_operation_of_another_dialect_brings_its_rule():
    op = RowOp(operands=[matrix().res[0]], result_types=[MATRIX])
    assert text(sharding_rule(op)) == "<([i, j])->([i, k]) {i=8, j=1, k=1}>"


@pytest.mark.parametrize("kind", [RowOp, stablehlo.TanhOp])
def test_a_rule_attribute_takes_precedence(kind: type[IRDLOperation]):
    op = kind.create(operands=[matrix().res[0]], result_types=[MATRIX])
    written = build_rule(Shapes(((8, 4),), ((8, 4),)), [Factor((0,), (0,), 8, FactorType.PERMUTATION)])
    op.attributes[SHARDING_RULE] = written
    assert sharding_rule(op) is written


def test_operations_of_one_shape_share_a_rule():
    rules = ShardingRules()
    x = matrix().res[0]
    first = rules.of(stablehlo.TanhOp(x, MATRIX))
    again = rules.of(stablehlo.ConvertOp(x, TensorType(i32, [8, 4])))
    transposed = rules.of(stablehlo.TransposeOp(x, [1, 0]))
    unmoved = rules.of(stablehlo.TransposeOp(x, [0, 1]))
    assert first is not None
    assert first is again
    assert text(first) == text(unmoved) != text(transposed)


def test_unknown_operations_are_reported_once():
    rules = ShardingRules()
    first, second = matrix(), matrix()
    assert rules.of(first) is None
    assert rules.of(second) is None
    assert rules.unknown == {"op 'test.op' is unknown to SDY sharding rule registry": first}


@pytest.mark.parametrize("kind", [hlo.ElidedConstantOp, hlo.TupleConstantOp])
def test_constants_of_hlo_are_known_and_have_no_rule(kind: type[IRDLOperation]):
    assert row_of(kind) is None


def test_conservative_rules_are_optional():
    op = stablehlo.SliceOp(matrix().res[0], [0, 1], [8, 3], [1, 1])
    assert text(sharding_rule(op)) == "<([i, j])->([i, j]) {i=8, j=4} permutation={j}>"
    assert "blocked_propagation={j}" in text(sharding_rule(op, conservative=True))


def test_a_factor_of_size_one_is_left_out_beside_others():
    factors = [Factor((0,), (None,), 4), Factor((0,), (0,), 1)]
    assert text(build_rule(Shapes(((4,),), ((1,),)), factors)) == "<([i])->([j]) {i=4, j=1}>"


def test_the_page_lists_every_operation_with_a_rule():
    page = (ROOT / "docs" / "sharding_rules.md").read_text()
    operations = [line.split(" | ")[0] for line in page.splitlines() if line.startswith("| `s")]
    listed = set(re.findall(r"`((?:stablehlo|sdy)\.[\w-]+)`", " ".join(operations)))
    rows = {
        operation.name: row
        for dialect in ("stablehlo", "sdy")
        for family in FAMILIES[dialect]
        for operation, row in import_module(f"xshardy.sharding.rules.{family}").RULES.items()
    }
    assert listed == rows.keys()


def test_shardings_go_through_three_dialects():
    path = ROOT / "examples" / "embedding" / "sharding_rules.py"
    spec = importlib.util.spec_from_file_location("sharding_rules_example", path)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    program = path.with_name("three_dialects.mlir").read_text()
    lines = example.propagate(program, "program").splitlines()
    sharded = '#sdy.sharding_per_value<[<@mesh, [{"data", ?}, {"model", ?}]>]>'
    for name in ("stablehlo.dot", "linalg.generic", "rows.softmax"):
        assert sharded in next(line for line in lines if name in line)
