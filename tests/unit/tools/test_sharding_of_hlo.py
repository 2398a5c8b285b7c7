"""`xshardy shard` and `explain` of HLO text: shardings of JAX and of HLO, names and places, and HLO written back."""

from pathlib import Path

import pytest
from sharded_programs import sharded_text

from xshardy.hlo_text import read_hlo
from xshardy.programs.sharded import export, export_hlo
from xshardy.syntax import print_module
from xshardy.tools.cli import main
from xshardy.tools.explain.picking import named_value
from xshardy.tools.explain.story import story

TABLES = """
FileNames
1 "/home/me/model.py"

FunctionNames
1 "step"

FileLocations
1 {file_name_id=1 function_name_id=1 line=42 end_line=42 column=7 end_column=20}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
"""

MESHES = """{mesh = #sdy.mesh<["data"=2, "model"=4]>}"""


def carried(dimensions: str) -> str:
    """The frontend attributes with a sharding of `dimensions`."""
    sharding = f"#sdy.sharding<@mesh, {dimensions}>".replace('"', r"\"")
    return f'frontend_attributes={{xla.sdy.sharding="{sharding}"}}'


OF_JAX = f"""HloModule jit_step, frontend_attributes={{xla.sdy.meshes={MESHES}}}
{TABLES}
ENTRY %main.5 {{
  %x = f32[8,16] parameter(0), {carried('[{"data"}, {}]')}, metadata={{op_name="x"}}
  %w.1 = f32[16,32] parameter(1), {carried('[{}, {"model"}]')}, metadata={{op_name="p['w']"}}
  ROOT %dot.3 = f32[8,32] dot(%x, %w.1), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}},
    metadata={{op_name="jit(step)/dot_general" stack_frame_id=1}}
}}
"""

OF_HLO = """HloModule m

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

body {
  p = (s32[], f32[8,16]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[8,16] get-tuple-element(p), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[8,16] negate(x)
  ROOT t = (s32[], f32[8,16]) tuple(j, y)
}

condition {
  p = (s32[], f32[8,16]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT l = pred[] compare(i, n), direction=LT
}

ENTRY main {
  x = f32[8,16] parameter(0), sharding={devices=[4,2]<=[8]}
  zero = s32[] constant(0)
  c = f32[8,16] constant({...})
  z = f32[8,16] add(x, c)
  t = (s32[], f32[8,16]) tuple(zero, z)
  w = (s32[], f32[8,16]) while(t), condition=condition, body=body
  y = f32[8,16] get-tuple-element(w), index=1
  f = f32[] constant(0)
  s = f32[8] reduce(y, f), dimensions={1}, to_apply=add
  ROOT r = (f32[8,16], f32[8]) tuple(y, s)
}
"""


def test_names_and_places_are_those_of_the_users_program():
    program = sharded_text(OF_JAX, "step.hlo")
    lines = list(story(program, named_value(program, "%dot.3", "step.hlo")))
    assert lines[0] == '%dot.3 dot_general (model.py:42): [{"data", ?}, {"model", ?}]'
    assert """    argument 1 (p['w']) had it from the start: [{}, {"model"}], written in the text""" in lines
    assert named_value(program, "p['w']", "step.hlo") == named_value(program, "%w.1", "step.hlo")


def test_shardings_of_jax_are_written_as_those_of_hlo():
    (function,) = (op for op in read_hlo(export_hlo(sharded_text(OF_JAX, "step.hlo"))).ops)
    shardings = [attributes.data["mhlo.sharding"].data for attributes in function.arg_attrs]  # pyright: ignore
    assert shardings == [
        "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
        "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}",
    ]
    (dot,) = (op for op in function.walk() if op.name.startswith("stablehlo.dot"))
    assert str(dot.attributes["mhlo.sharding"]) == '"{devices=[2,4]<=[8]}"'


def test_shardings_of_hlo_go_through_loops():
    text = export_hlo(sharded_text(OF_HLO, "loop.hlo"))
    lines = {line.split("%")[1].split(" ")[0]: line for line in text.splitlines() if " = " in line}
    for name in ("x", "z", "y"):
        assert "sharding={devices=[4,2]<=[8]}" in lines[name], lines[name]
    assert "{devices=[4,2]<=[8]}}" in lines["w"]
    assert "sharding={devices=[4,2]<=[8] last_tile_dim_replicate}" in lines["s"]


@pytest.mark.parametrize(
    ("suffix", "target", "start"),
    [
        (".hlo", None, "HloModule m\n"),
        (".txt", None, "HloModule m\n"),
        (".mlir", None, "module @m {\n"),
        (".out", "hlo", "HloModule m\n"),
        (".hlo", "mlir", "module @m {\n"),
    ],
)
def test_the_program_is_written_as_asked_for(
    suffix: str, target: str | None, start: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    source, written = tmp_path / "module_0001.txt", tmp_path / f"sharded{suffix}"
    source.write_text(OF_HLO)
    assert main(["shard", str(source), "-o", str(written), *(["-t", target] if target else [])]) == 0
    assert written.read_text().startswith(start)
    assert "%z (line 30)" in capsys.readouterr().out


def test_a_target_needs_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "m.hlo").write_text(OF_HLO)
    assert main(["shard", str(tmp_path / "m.hlo"), "-t", "hlo"]) == 2
    assert capsys.readouterr().err == "error: --target says what to write: give the file with -o\n"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("devices=[4,2]<=[8]", "devices=[4,2]<=[7]", "m.hlo:26: error: "),
        ("devices=[4,2]<=[8]", "devices=[4,2", "m.hlo:26:12: error: computation 'main' is not closed"),
        ("devices=[4,2]<=[8]", "devices=[4,3]<=[12]", ""),
    ],
)
def test_a_sharding_that_is_none_has_its_place(
    old: str, new: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "m.hlo"
    file.write_text(OF_HLO.replace(old, new))
    status = main(["shard", str(file)])
    error = capsys.readouterr().err
    assert complaint in error.replace(str(tmp_path) + "/", "")
    assert status == (1 if complaint else 0)


ALLOWED = """HloModule m, allow_spmd_sharding_propagation_to_parameters={FLAGS}

ENTRY main {
  p = f32[8,8] parameter(0), sharding={devices=[8,1]<=[8]}
  q = f32[8,8] parameter(1), sharding={replicated}
  ROOT a = f32[8,8] add(p, q)
}
"""


@pytest.mark.parametrize(
    ("flags", "first"), [("{true}", '{"_axis_0"}'), ("{false,true}", '{"_axis_0"}'), ("{false}", "{}")]
)
def test_propagation_to_parameters_is_allowed_by_flags(flags: str, first: str):
    text = print_module(export(sharded_text(ALLOWED.replace("{FLAGS}", flags), "m.hlo")))
    assert f"%arg1: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{first}, " in text


def test_a_tensor_of_one_device_is_there_as_a_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "maximal.hlo"
    path.write_text("""HloModule m
ENTRY e {
  x = f32[8,16] parameter(0), sharding={maximal device=1}
  y = f32[8,16] parameter(1), sharding={devices=[2,1]0,1}
  n = f32[8,16] negate(x), sharding={maximal device=1}
  ROOT s = f32[8,16] add(n, y), sharding={devices=[2,1]0,1}
}
""")
    assert main(["shard", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "512 B" in next(line for line in lines if "%n " in line)
    assert "256 B" in next(line for line in lines if "%s " in line)
