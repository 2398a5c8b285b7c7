"""A module that cannot get explicit reshards is left as it was, for an error at any place."""

import pytest
from xdsl.context import Context

from xshardy.syntax.parser import Parser
from xshardy.syntax.printer import Printer
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_export.insert_explicit_reshards import InsertExplicitReshardsPass
from xshardy.transforms.sdy_export.reshard_checks import rare_features
from xshardy.universe import new_context

HEADER = """
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["x"=2]>
sdy.mesh @device_0 = <[], device_ids=[0]>
sdy.mesh @device_1 = <[], device_ids=[1]>
func.func @moves(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = func.call @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}
func.func @g(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
"""

UNREDUCED = '%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>}'

BAD_FUNCTIONS = {
    "single-device": "func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@device_0, []>}) { return }",
    "conflicting single-device": """func.func @f(%x: tensor<8xf32>) {
      %0:2 = stablehlo.custom_call @c(%x)
        {sdy.sharding = #sdy.sharding_per_value<[<@device_0, []>, <@device_1, []>]>}
        : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
      return
    }""",
    "no results": f"""func.func @f({UNREDUCED}) {{
      stablehlo.custom_call @c(%x) {{has_side_effect = true}} : (tensor<8xf32>) -> ()
      return
    }}""",
    "over mesh @other": f"""func.func @f({UNREDUCED}) {{
      %0 = stablehlo.optimization_barrier
        {{sdy.sharding = #sdy.sharding_per_value<[<@other, [{{}}]>]>}} %x : tensor<8xf32>
      return
    }}""",
    "not in the outermost module": """module @inner {
      func.func @callee() { return }
      func.func @f() {
        func.call @callee() : () -> ()
        return
      }
    }""",
    "instead": f"""func.func @f({UNREDUCED}) {{
      %0 = sdy.reshard %x <@mesh, [{{}}], unreduced={{"b"}}> : tensor<8xf32>
      return
    }}""",
}


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("message", BAD_FUNCTIONS)
def test_nothing_has_changed(message: str, full: bool) -> None:
    module = Parser(new_context(), HEADER + BAD_FUNCTIONS[message]).parse_module()
    before = Printer().module_text(module)
    with pytest.raises(OperationFailedException, match=message):
        InsertExplicitReshardsPass(enable_full_version=full).apply(Context(), module)
    assert Printer().module_text(module) == before


@pytest.mark.parametrize(
    ("text", "unreduced", "single_device"),
    [
        ("", False, False),
        (
            'func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>})',
            True,
            False,
        ),
        (
            'func.func private @f() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>})',
            True,
            False,
        ),
        ("func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@device_0, []>})", False, True),
        (
            "func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[3]>, []>})",
            False,
            True,
        ),
        (
            """func.func @f(%x: tensor<8xf32>) {
              %0 = sdy.reshard %x <@device_1, []> : tensor<8xf32>
              %1 = stablehlo.negate %x
                {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"b"}>]>} : tensor<8xf32>
              return
            }""",
            True,
            True,
        ),
    ],
)
def test_rare_features(text: str, unreduced: bool, single_device: bool) -> None:
    assert rare_features(Parser(new_context(), HEADER + text).parse_module()) == (unreduced, single_device)
