"""
A custom dialect with a sharding rule, so that shardings propagate through its operation.

Run by `python examples/embedding/sharding_rules.py [FILE.mlir]`; explained in docs/sharding_rules.md.
"""

import sys
from pathlib import Path

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def

from xshardy.dialects.discardable import verify
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.interfaces import ShardingRuleOpInterface
from xshardy.sharding.rules import Factor, FactorType, Shapes, build_rule, shape_of
from xshardy.syntax import parse_module, print_module
from xshardy.transforms.sdy_propagation.basic_propagate import BasicPropagatePass
from xshardy.universe import new_context


@irdl_op_definition
class SoftmaxOp(IRDLOperation, ShardingRuleOpInterface):
    """The softmax of each row of a matrix."""

    name = "rows.softmax"
    matrix = operand_def(TensorType[Attribute])
    result = result_def(TensorType[Attribute])

    def sharding_rule(self) -> OpShardingRuleAttr:
        """`([i, j])->([i, j]) need_replication={j}`: rows are independent, and each device needs whole rows."""
        rows, columns = shape = shape_of(self.matrix.type)
        return build_rule(
            Shapes((shape,), (shape,)),
            [Factor((0,), (0,), rows), Factor((1,), (1,), columns, FactorType.NEED_REPLICATION)],
        )


Rows = Dialect("rows", [SoftmaxOp])


def propagate(text: str, name: str) -> str:
    """The program with propagated shardings. Raises xDSL's `ParseError`, `VerifyException` or `PassFailedException`."""
    context = new_context()
    context.load_dialect(Rows)
    module = parse_module(text, name, context)
    verify(module)
    BasicPropagatePass().apply(context, module)
    return print_module(module)


if __name__ == "__main__":
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "three_dialects.mlir"
    print(propagate(path.read_text(), str(path)))
