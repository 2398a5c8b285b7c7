"""Every command says the same of an argument or a result whose dimension does not divide: the sharding, and why."""

from itertools import product

import pytest
from sharded_programs import sharded_text

import xshardy
from xshardy.planning.specs import named_specs
from xshardy.tools.shard import placements

PROGRAM = """
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<ROWSxCOLUMNSxf32>) -> (tensor<ROWSxCOLUMNSxf32>, tensor<COLUMNSxf32>) {
  %0 = stablehlo.sine %a : tensor<ROWSxCOLUMNSxf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x", "y", ?}, {?}]> : tensor<ROWSxCOLUMNSxf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<ROWSxCOLUMNSxf32>, tensor<f32>) -> tensor<COLUMNSxf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"y"}]> : tensor<COLUMNSxf32>
  return %1, %3 : tensor<ROWSxCOLUMNSxf32>, tensor<COLUMNSxf32>
}
"""


def test_specs_say_what_is_unreduced_and_leave_out_parts_of_axes():
    sharded = sharded_text(
        """sdy.mesh @mesh = <["x"=4, "y"=2]>
        func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>},
            %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>},
            %c: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
          return
        }""",
        "file",
    )
    specs = named_specs(sharded)
    assert "%a" not in specs
    assert specs["%b"].unreduced == {"x"} and len(specs["%b"]) == 2
    assert tuple(specs["%c"]) == ("y",)


@pytest.mark.parametrize(("rows", "columns"), product((16, 17, 6, 12, 2), (4, 6, 7)))
def test_commands_agree_about_arguments_and_results(rows: int, columns: int):
    text = PROGRAM.replace("ROWS", str(rows)).replace("COLUMNS", str(columns))
    program, sharded = xshardy.partition(text), sharded_text(text, "file")
    for index, tensor in enumerate(program.results):
        explained = xshardy.explain(text, result=index)
        assert explained.placement.axes == tensor.axes and explained.placement.local_shape == tensor.local_shape
        is_cut = tensor.axes[0] != ((("x", "y"), ("y",))[index])
        assert ("do not divide dimension 0" in str(explained)) == is_cut
    assert xshardy.explain(text, argument=0).placement.axes == program.arguments[0].axes
    listed = next(each for each in placements(sharded) if each.is_argument)
    assert listed.bytes_after == 4 * program.arguments[0].local_shape[0] * program.arguments[0].local_shape[1]
    spec = named_specs(sharded)["%a"]
    entry = spec[0] if len(spec) else ()
    assert ((entry,) if isinstance(entry, str) else entry or ()) == program.arguments[0].axes[0]
    causes = [each.cause.text for each in xshardy.plan(text).collectives if "is returned" in each.cause.text]
    reasons = {f"devices do not divide dimension 0 of {size} elements" for size in (rows, columns)}
    assert all(any(reason in cause for reason in reasons) for cause in causes)


def test_a_result_that_the_program_wants_whole_has_no_reason():
    text = (
        PROGRAM.replace("ROWS", "17")
        .replace("COLUMNS", "4")
        .replace("-> (tensor<17x4xf32>,", "-> (tensor<17x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},")
    )
    causes = [each.cause.text for each in xshardy.plan(text).collectives if "is returned" in each.cause.text]
    assert causes and not any("do not divide" in cause for cause in causes)
