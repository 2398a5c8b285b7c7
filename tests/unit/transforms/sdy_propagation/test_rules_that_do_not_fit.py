"""A sharding rule that does not fit its operation is refused by the pass that writes rules, verified or not."""

import pytest

from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_propagation.populate_op_sharding_rules import PopulateOpShardingRulesPass
from xshardy.universe import new_context


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("([i, j])->([i, j]) {i=8, j=4}", "mapping rank must match: 2 != 1"),
        ("([i])->([i]) {i=8, j=4}", "has factor j=4 that isn't used"),
    ],
)
def test_a_rule_of_another_shape(rule: str, reason: str):
    module = parse_module(f"""func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {{
      %0 = stablehlo.negate %x {{sdy.sharding_rule = #sdy.op_sharding_rule<{rule}>}} : tensor<8xf32>
      return %0 : tensor<8xf32>
    }}""")
    with pytest.raises(OperationFailedException, match=reason) as caught:
        PopulateOpShardingRulesPass().apply(new_context(), module)
    assert caught.value.operation.name == "stablehlo.negate"
