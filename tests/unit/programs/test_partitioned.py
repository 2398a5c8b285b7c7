"""Partitioned programs, and meshes of other sizes."""

import pytest
from xdsl.utils.exceptions import VerifyException

import xshardy
from xshardy.programs.errors import EngineError

TWO_AXES = """
sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w: tensor<16x16xf32>)
    -> tensor<8x16xf32> {
  %0 = stablehlo.dot %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
"""
TWO_MESHES = TWO_AXES.replace("func.func", 'sdy.mesh @other = <["x"=3]>\nfunc.func')
USED_MESHES = TWO_MESHES.replace("%w: tensor<16x16xf32>", "%w: tensor<16x16xf32> {sdy.sharding = ON_OTHER}").replace(
    "ON_OTHER", '#sdy.sharding<@other, [{"x"}, {}]>'
)
INLINED = TWO_AXES.replace("@mesh,", 'mesh<["data"=2, "model"=4]>,').replace(
    'sdy.mesh @mesh = <["data"=2, "model"=4]>', ""
)
HLO_WITH_INLINED_MESH = """HloModule m

ENTRY main {
  x = f32[8,16] parameter(0), sharding={mesh['data'=2,'model'=4], [{'data'}, {}]}
  ROOT y = f32[8,16] sine(x)
}
"""
NO_MESH = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"
MANUAL = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
      manual_axes={"x"} (%p: tensor<4xf32>) {
    sdy.return %p : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""


def test_a_program_says_how_its_arguments_and_results_are_divided():
    program = xshardy.partition(TWO_AXES)
    x, w = program.arguments
    assert program.devices == 8 and program.mesh is not None and program.mesh.sizes == {"data": 2, "model": 4}
    assert (x.axes, x.local_shape, w.axes, w.local_shape) == ((("data",), ()), (4, 16), ((), ()), (16, 16))
    assert program.results[0].axes == (("data",), ()) and program.result_shardings[0] is not None
    assert "sdy" not in str(program) and "tensor<4x16xf32>" in str(program)
    assert str(program.main.function_type.inputs.data[0]) == "tensor<4x16xf32>"


def test_axes_get_other_sizes():
    program = xshardy.partition(TWO_AXES, mesh={"data": 4})
    assert program.devices == 16 and program.arguments[0].local_shape == (2, 16)


def test_a_module_without_a_mesh_gets_one():
    assert xshardy.partition(NO_MESH).devices == 1
    program = xshardy.partition(NO_MESH, mesh={"x": 2, "y": 3})
    assert program.devices == 6 and program.argument_shardings == (None,)


def test_a_mesh_that_nothing_refers_to_does_not_matter():
    assert xshardy.partition(TWO_MESHES).devices == xshardy.plan(TWO_MESHES).traced.partitioned.devices == 8
    assert xshardy.run(TWO_MESHES, check=True).agrees


@pytest.mark.parametrize("text", [INLINED, HLO_WITH_INLINED_MESH])
def test_a_mesh_that_is_written_out_in_a_sharding_has_its_devices(text: str):
    program = xshardy.partition(text)
    assert program.devices == xshardy.plan(text).traced.partitioned.devices == 8
    assert program.arguments[0].local_shape == (4, 16) and program.results[0].axes == (("data",), ())
    assert xshardy.run(text, check=True).agrees
    assert xshardy.compile_program(text).devices == 8 and xshardy.run(text, on="kernels", check=True).agrees
    assert xshardy.partition(text, mesh={"data": 4}).devices == 16


@pytest.mark.parametrize(
    ("text", "mesh", "message"),
    [
        (TWO_AXES, {"rows": 2}, 'no mesh of the module has an axis "rows": its axes are "data", "model"'),
        (TWO_AXES, {"data": 0}, "data=0: expected at least 1 device"),
        (USED_MESHES, {}, "different numbers of devices.*@mesh has 8, @other has 3"),
        (
            USED_MESHES.replace("@other,", 'mesh<["x"=3]>,'),
            {},
            r'different numbers of devices.*@mesh has 8, mesh<\["x"=3\]> has 3',
        ),
        (NO_MESH.replace("tensor<4xf32>", "tensor<?xf32>"), {}, "only tensors of static shape"),
    ],
)
def test_meshes_that_do_not_fit_are_refused(text: str, mesh: dict[str, int], message: str):
    with pytest.raises(EngineError, match=message):
        xshardy.partition(text, mesh=mesh)


def test_local_types_that_depend_on_the_size_are_verified():
    with pytest.raises(VerifyException):
        xshardy.partition(MANUAL, mesh={"x": 4})


def test_hlo_is_partitioned():
    program = xshardy.partition(
        "HloModule m\n\nENTRY main {\n  p = f32[8,8] parameter(0), sharding={devices=[8,1]<=[8]}\n"
        "  ROOT a = f32[8,8] add(p, p)\n}\n"
    )
    assert program.devices == 8 and program.arguments[0].local_shape == (1, 8)


COMPOSITE = """
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x5xf32> {
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {"y"}]> : tensor<8x5xf32>
  %1 = stablehlo.composite "vendor.normalise" %0 {decomposition = @normalise} : (tensor<8x5xf32>) -> tensor<8x5xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}, {}]> : tensor<8x5xf32>
  return %2 : tensor<8x5xf32>
}
func.func private @normalise(%a: tensor<8x5xf32>) -> tensor<8x5xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %a : tensor<8x5xf32>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<8x5xf32>, tensor<f32>) -> tensor<8xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<8xf32>) -> tensor<8x5xf32>
  %r = stablehlo.divide %e, %b : tensor<8x5xf32>
  return %r : tensor<8x5xf32>
}
"""


def test_a_composite_is_partitioned_by_its_decomposition():
    plan = xshardy.plan(COMPOSITE)
    assert sorted(each.kind for each in plan.collectives) == ["all-gather", "all-reduce"]
    assert xshardy.run(COMPOSITE, check=True).agrees and xshardy.run(COMPOSITE, check=True, on="kernels").agrees
    assert xshardy.explain(COMPOSITE, value="%1 (line 5)").lines[0] == '%1 (line 5): [{"x", ?}, {"y", ?}]'
