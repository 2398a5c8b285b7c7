"""The library behind `import xshardy`: its names, its import cost, and its documented errors."""

import inspect
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from struct import pack

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException, ParseError, PassFailedException, VerifyException

import xshardy
from xshardy.planning.topology import H100, V5E, TopologyError
from xshardy.programs.errors import EngineError
from xshardy.syntax.bytecode import BytecodeError
from xshardy.tools.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
MLP = (EXAMPLES / "mlp.mlir").read_text()
BAD_MESH = 'func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@nowhere, [{"x"}]>}) { func.return }'


@pytest.mark.parametrize("name", xshardy.__all__)
def test_names_are_there_and_documented(name: str):
    assert name in dir(xshardy)
    assert inspect.getdoc(getattr(xshardy, name))


def test_no_other_name_is_there():
    with pytest.raises(AttributeError, match="module 'xshardy' has no attribute 'nothing'"):
        _ = xshardy.nothing


def test_importing_the_package_imports_nothing_else():
    code = (
        "import sys, xshardy; print(*(name for name in sys.modules if name.startswith(('xshardy.', 'xdsl', 'numpy'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_parse_verifies_with_discardable_attributes():
    with pytest.raises(VerifyException, match="unknown mesh: @nowhere"):
        xshardy.parse(BAD_MESH)
    with pytest.raises(ParseError, match=r"bad.mlir:1"):
        xshardy.parse("func.func @f(", "bad.mlir")


def test_passes_run_on_text_and_in_place_on_modules():
    text = "func.func private @dead() { func.return }  func.func @f() { func.return }"
    module = xshardy.parse(text)
    assert xshardy.run_passes(module, "symbol-dce") is module
    assert xshardy.print_module(module) == xshardy.print_module(xshardy.run_passes(text, "symbol-dce"))
    assert "@dead" not in xshardy.print_module(module)


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [("no-such-pass", "no-such-pass"), ("symbol-dce{no-such-option=1}", "no-such-option|no_such_option")],
)
def test_unknown_passes_and_options_are_named(pipeline: str, message: str):
    with pytest.raises(ValueError, match=message):
        xshardy.run_passes(ModuleOp([]), pipeline)


def test_propagation_and_partitioning_take_modules_and_text():
    module = xshardy.parse(MLP)
    assert xshardy.print_module(xshardy.propagate(module)) == xshardy.print_module(xshardy.propagate(MLP))
    each_device = xshardy.partition(MLP)
    assert not any(op.name.startswith("sdy.") for op in each_device.module.walk())
    xshardy.verify(each_device.module)


def test_tensors_to_explain():
    by_value, by_argument = xshardy.explain(MLP, value="%x"), xshardy.explain(MLP, argument=0)
    assert str(by_value) == str(by_argument) and by_value.tensor == by_argument.tensor
    assert len(repr(xshardy.explain(MLP, result=0)).splitlines()) <= 6
    assert by_value.placement.local_shape == (16, 1024)
    shown = by_value._repr_html_()
    assert shown.startswith(by_value.placement._repr_html_()) and "{&quot;data&quot;}" in shown
    for wrong in ({"value": "%nothing"}, {"argument": 9}, {"result": 9}, {}, {"argument": 0, "result": 0}):
        with pytest.raises(ValueError):
            xshardy.explain(MLP, **wrong)


def test_the_repr_of_a_kernel_is_one_line():
    kernel = xshardy.compile((EXAMPLES / "gelu.hlo").read_text())
    assert isinstance(kernel, xshardy.Kernel)
    assert len(repr(kernel).splitlines()) == 1 and kernel.entry in repr(kernel) and "sm_90" in repr(kernel)


ADD = 'func.func @f(%x: i32 loc("p[0]")) -> i32 { func.return %x : i32 }'


SUM = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0]
    : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""


def test_the_reprs_of_programs_are_one_line():
    run = xshardy.run(SUM, check=True)
    assert repr(run.program) == "<program for 2 devices: (tensor<8x4xf32>) -> (tensor<4xf32>)>"
    assert repr(run.program.arguments[0]) == '<tensor<8x4xf32> on 2 devices, [{"x"}, {}]: parts of (4, 4)>'
    assert repr(run).startswith("<run on 2 devices in ") and repr(run).endswith(" ms: (tensor<4xf32>), agrees>")
    assert repr(xshardy.prove(SUM)) == "<proved: 1 of 1 results on 2 devices>"
    expected = "<plan for 2 devices: 16 B sent per device in 1 all-reduce; 80 B at the peak>"
    assert repr(xshardy.plan(SUM)) == expected


def test_the_version():
    assert xshardy.__version__ == version("xshardy") and "__version__" in dir(xshardy)


def test_programs_are_text_bytes_and_paths(tmp_path: Path):
    path = tmp_path / "add.mlir"
    path.write_text(ADD)
    texts = {xshardy.print_module(xshardy.parse(source)) for source in (ADD, ADD.encode(), path, str(path))}
    assert len(texts) == 1
    assert xshardy.explain(MLP, argument=0).lines == xshardy.explain(EXAMPLES / "mlp.mlir", argument=0).lines
    with pytest.raises(FileNotFoundError):
        xshardy.parse("nothing.mlir")
    path.write_text("func.func")
    with pytest.raises(ParseError, match=r"add\.mlir"):
        xshardy.parse(path)


def test_serialized_exports_of_jax_are_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    artifact = xshardy.write_artifact(xshardy.parse(EXAMPLES / "mlp.mlir"))
    # A table of FlatBuffers with two lists of bytes: one that is no artifact, and the artifact.
    places = pack("<I4H", 12, 8, 12, 4, 8)
    table = places + pack("<i3I8s", 8, 8, 16, 6, b"\x42\xffML\xefR") + pack("<I", len(artifact)) + artifact
    (tmp_path / "step.bin").write_bytes(table)
    text = xshardy.print_module(xshardy.parse(artifact))
    assert xshardy.print_module(xshardy.parse(table)) == text
    assert xshardy.print_module(xshardy.parse(tmp_path / "step.bin")) == text
    assert main(["shard", str(tmp_path / "step.bin")]) == 0
    assert capsys.readouterr().err == ""
    with pytest.raises(ValueError, match="<bytes>:1:4: error: byte 0xff is not UTF-8"):
        xshardy.parse(b"\x24\x00\x42\xffML\xefR")


def test_what_is_no_program_is_refused():
    with pytest.raises(TypeError, match=r"a builtins\.int is no program"):
        xshardy.parse(3)
    with pytest.raises(BytecodeError, match="format 7"):
        xshardy.parse(b"ML\xefR\x0f")
    with pytest.raises(ValueError, match="<bytes>:1:3: error: byte 0xff is not UTF-8"):
        xshardy.parse(b"ab\xff")
    with pytest.raises(ValueError, match=r"read it with xshardy\.read_hlo"):
        xshardy.parse("step.hlo.pb")


def test_jax_is_not_imported():
    code = f"import sys, xshardy; xshardy.parse({ADD!r}); print(*(m for m in sys.modules if m.startswith('jax')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_locations_of_arguments_and_results():
    module = xshardy.parse(ADD)
    function = next(iter(module.ops))
    assert str(xshardy.location_of(function.regions[0].block.args[0])) == 'loc("p[0]")'
    assert str(xshardy.location_of(function)) == "loc(unknown)"


@pytest.mark.parametrize("data", [b"", b"\n", b"hello", b"\n\xff\xff\xff", b"\n\x05HloModule"])
def test_bytes_that_are_no_hlo(data: bytes):
    with pytest.raises(DiagnosticException):
        xshardy.read_hlo(data)


def test_hlo_in_binary_form_needs_jaxlib(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "jaxlib", None)
    with pytest.raises(DiagnosticException, match="pip install jaxlib"):
        xshardy.read_hlo(b"\n\x02\n\x00\xff")


def test_kernels_are_text_bytes_paths_and_modules(tmp_path: Path):
    gelu = EXAMPLES / "gelu.hlo"
    expected = xshardy.print_module(xshardy.emit(gelu.read_text()))
    for source in (str(gelu), gelu, gelu.read_bytes(), xshardy.read_hlo(gelu)):
        assert xshardy.print_module(xshardy.emit(source)) == expected
    emitted = tmp_path / "kernel.mlir"
    emitted.write_text(expected)
    assert xshardy.print_module(xshardy.emit(emitted)) == expected
    assert xshardy.compile(emitted).ptx == xshardy.compile(gelu).ptx


def test_each_notation_names_its_reader():
    with pytest.raises(ValueError, match=r"gelu\.hlo: this is HLO text: read it with xshardy\.read_hlo"):
        xshardy.parse(EXAMPLES / "gelu.hlo")
    with pytest.raises(ValueError, match=r"mlp\.mlir: this is MLIR: read it with xshardy\.parse"):
        xshardy.read_hlo(EXAMPLES / "mlp.mlir")
    with pytest.raises(PassFailedException, match="this is HLO, and kernels are lowered: emit a fusion first"):
        xshardy.lower(xshardy.read_hlo(EXAMPLES / "gelu.hlo"), "scf")


def test_invalid_text_of_a_pipeline_is_an_exception_that_programs_catch():
    with pytest.raises(ValueError, match="Expected argument name here"):
        xshardy.run_passes("module {}", "cse{")


TAKING_A_MESH = {
    "partition": lambda mesh: xshardy.partition(MLP, mesh=mesh).devices,
    "plan": lambda mesh: xshardy.plan(MLP, mesh=mesh).peak_bytes,
    "prove": lambda mesh: xshardy.prove(MLP, mesh=mesh).pair.devices,
    "run": lambda mesh: xshardy.run(MLP, mesh=mesh).program.devices,
    "compile_program": lambda mesh: xshardy.compile_program(MLP, mesh=mesh).devices,
}


@pytest.mark.parametrize("function", TAKING_A_MESH)
def test_a_mesh_is_given_as_text_too(function: str):
    of_mesh = TAKING_A_MESH[function]
    assert of_mesh("data=2,model=1") == of_mesh({"data": 2, "model": 1})
    with pytest.raises(EngineError, match="expected axes with sizes, such as data=2,model=4, got 'model'"):
        of_mesh("model")
    with pytest.raises(EngineError, match='no mesh of the module has an axis "rows": its axes are "data", "model"'):
        of_mesh("rows=2")


def test_a_topology_is_given_by_its_name_too():
    plan = xshardy.plan(MLP)
    assert plan.estimate("tpu-v5e-16") == plan.estimate(V5E) != plan.estimate("h100x8") == plan.estimate(H100)
    assert xshardy.advise(plan, "h100x8") == xshardy.advise(plan, H100)
    for wrong in (plan.estimate, lambda name: xshardy.advise(plan, name)):
        with pytest.raises(TopologyError, match='unknown topology "h100": did you mean h100x8'):
            wrong("h100")


TUPLES = """HloModule m

ENTRY %main (p: (f32[8,4], f32[8,4])) -> (f32[8,4], f32[8,4]) {
  %p = (f32[8,4]{1,0}, f32[8,4]{1,0}) parameter(0)
  %a = f32[8,4]{1,0} get-tuple-element(%p), index=0, sharding={devices=[2,1]<=[2]}
  %b = f32[8,4]{1,0} get-tuple-element(%p), index=1
  %sum = f32[8,4]{1,0} add(%a, %b), sharding={devices=[2,1]<=[2]}
  ROOT %t = (f32[8,4]{1,0}, f32[8,4]{1,0}) tuple(%sum, %b)
}
"""


def test_a_module_of_hlo_propagates_without_its_tuples():
    module = xshardy.propagate(xshardy.read_hlo(TUPLES))
    text = xshardy.print_module(module)
    assert "tuple" not in text
    assert (
        '%0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"_axis_0"}, {}]>]>}' in text
    )
    of_module = xshardy.partition(xshardy.read_hlo(TUPLES))
    assert str(of_module.module) == str(xshardy.partition(TUPLES).module)
