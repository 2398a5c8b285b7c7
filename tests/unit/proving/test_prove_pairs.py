# ruff: noqa: E501 - programs have long lines
"""`xshardy prove` on two programs that were written apart: HLO and MLIR, relations of a user, and logs of passes."""

from pathlib import Path

import pytest

from xshardy.tools.cli import main

MATMUL = """\
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
"""

PART = """\
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
"""

HLO = """\
HloModule m, num_partitions=4
ENTRY main {
  x = f32[8,16]{1,0} parameter(0), sharding={devices=[1,4]<=[4]}
  w = f32[16,8]{1,0} parameter(1), sharding={devices=[4,1]<=[4]}
  d = f32[8,8]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[4,1]<=[4]}
  ROOT t = (f32[8,8]{1,0}) tuple(d), sharding={{replicated}}
}
"""

HLO_PART = """\
HloModule m, num_partitions=4
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
ENTRY main {
  x = f32[8,4]{1,0} parameter(0)
  w = f32[4,8]{1,0} parameter(1)
  d = f32[8,8]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  r = f32[8,8]{1,0} all-reduce(d), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  ROOT t = (f32[8,8]{1,0}) tuple(r)
}
"""

MANUAL = """\
HloModule m, num_partitions=4
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
body {
  p = f32[2,16]{1,0} parameter(0), sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}
  ROOT r = f32[2,16]{1,0} all-reduce(p), channel_id=1, replica_groups={{0,2},{1,3}}, use_global_device_ids=true, to_apply=add, sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}
}
ENTRY main {
  x = f32[4,16]{1,0} parameter(0), sharding={devices=[2,2]<=[4]}
  c = f32[4,16]{1,0} copy(x), sharding={devices=[2,2]<=[4]}
  l = f32[2,16]{1,0} custom-call(c), custom_call_target="SPMDFullToShardShape", sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}
  m = f32[2,16]{1,0} call(l), to_apply=body, sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}
  k = f32[2,16]{1,0} copy(m), sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}
  ROOT g = f32[2,16]{1,0} custom-call(k), custom_call_target="SPMDShardToFullShape", sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}
}
"""

MANUAL_PART = """\
HloModule m, num_partitions=4
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
ENTRY main {
  x = f32[2,8]{1,0} parameter(0)
  ROOT r = f32[2,8]{1,0} all-reduce(x), channel_id=1, replica_groups={{0,2},{1,3}}, use_global_device_ids=true, to_apply=add
}
"""

RELATION = """\
mesh = '<["x"=4]>'
arguments = ['[{}, {"x"}]', '[{"x"}, {}]']
results = ['[{}, {}]']
"""

UNREDUCED = RELATION.replace("results = ['[{}, {}]']", """results = ['[{}, {}], unreduced={"x"}']""")


def prove(folder: Path, capsys: pytest.CaptureFixture[str], *programs: str, relation: str | None = None) -> str:
    """What the command prints about `programs`; the exit status in front."""
    files = list[str]()
    for number, text in enumerate(programs):
        file = folder / f"{number}.{'hlo' if text.startswith('HloModule') else 'mlir'}"
        file.write_text(text)
        files.append(str(file))
    if relation is not None:
        (folder / "relation.toml").write_text(relation)
        files += ["--relation", str(folder / "relation.toml")]
    return command(capsys, *files)


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    status = main(["prove", *arguments])
    printed = capsys.readouterr()
    return f"{status} {printed.out}{printed.err}"


# Pairs of HLO


def test_hlo_before_and_after_partitioning(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert prove(tmp_path, capsys, HLO, HLO_PART).startswith("0 proved")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("{{0,1,2,3}}", "{{0,1},{2,3}}"), ("tuple(r)", "tuple(d)"), ("add(a, b)", "maximum(a, b)")],
)
def test_wrong_hlo_is_refuted(tmp_path: Path, capsys: pytest.CaptureFixture[str], right: str, wrong: str):
    assert prove(tmp_path, capsys, HLO, HLO_PART.replace(right, wrong)).startswith("1 refuted")


def test_shardings_of_hlo_are_final(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The result is replicated as its tuple says, though it may have the sharding of what it comes from."""
    open_result = HLO.replace("num_partitions=4", "num_partitions=4, allow_spmd_sharding_propagation_to_output={true}")
    assert prove(tmp_path, capsys, open_result, HLO_PART).startswith("0 proved")
    divided = HLO_PART.replace("(f32[8,8]{1,0}) tuple(r)", "(f32[2,8]{1,0}) tuple(s)").replace(
        "  ROOT t", "  s = f32[2,8]{1,0} slice(r), slice={[0:2], [0:8]}\n  ROOT t"
    )
    assert "a device has a tensor<8x8xf32> of the" in prove(tmp_path, capsys, open_result, divided)


def test_the_program_of_a_device_is_no_whole_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    numbered = HLO_PART.replace("ROOT t = (f32[8,8]{1,0}) tuple(r)", "ROOT t = u32[] partition-id()")
    for whole in (HLO_PART, numbered[: numbered.index("  x =")] + numbered[numbered.index("  ROOT t") :]):
        said = prove(tmp_path, capsys, whole, HLO_PART)
        assert said.startswith("1 ") and "its result depends on the device" in said


def test_random_numbers_are_new_each_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """No input refutes it: what another run draws is no counterexample."""
    drawn = """\
HloModule m, num_partitions=2
ENTRY main {
  a = s32[] constant(0)
  b = s32[] constant(1000)
  ROOT r = s32[4]{0} rng(a, b), distribution=rng_uniform, sharding={devices=[2]<=[2]}
}
"""
    assert prove(tmp_path, capsys, drawn, drawn.replace("s32[4]", "s32[2]")).startswith("3 undecided")


# Code of single devices


def whole_manual() -> str:
    """Manual along one axis of two; the result has whole rows again, which the other axis divides by columns."""
    return MANUAL.replace("ROOT g = f32[2,16]", "ROOT g = f32[4,16]").replace(
        'SPMDShardToFullShape", sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}',
        'SPMDShardToFullShape", sharding={devices=[2,2]<=[4]}',
    )


def test_manual_code_that_another_axis_divides(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert prove(tmp_path, capsys, whole_manual(), MANUAL_PART).startswith("0 proved")


def test_wrong_manual_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    wrong = MANUAL_PART.replace("{{0,2},{1,3}}", "{{0,1},{2,3}}")
    assert not prove(tmp_path, capsys, whole_manual(), wrong).startswith("0")


# Pieces that collectives bring

MOVED = """\
HloModule m, num_partitions=8
ENTRY main {
  x = s32[8,8,8,8]{3,2,1,0} parameter(0), sharding={devices=[1,4,2,1]<=[8]}
  ROOT c = s32[8,8,8,8]{3,2,1,0} copy(x), sharding={devices=[2,1,1,4]<=[4,2]T(1,0)}
}
"""

MOVED_PART = """\
HloModule m, num_partitions=8
ENTRY main {
  x = s32[8,2,4,8]{3,2,1,0} parameter(0)
  r = s32[2,4,2,4,4,2]{5,4,3,2,1,0} reshape(x)
  t = s32[2,4,4,2,4,2]{5,4,3,2,1,0} transpose(r), dimensions={0,4,1,2,3,5}
  f = s32[8,4,2,4,2]{4,3,2,1,0} reshape(t)
  a = s32[8,4,2,4,2]{4,3,2,1,0} all-to-all(f), channel_id=1, replica_groups={{0,2,4,6,1,3,5,7}}, dimensions={0}
  u = s32[2,4,4,2,4,2]{5,4,3,2,1,0} reshape(a)
  v = s32[4,4,2,2,4,2]{5,4,3,2,1,0} transpose(u), dimensions={2,1,3,0,4,5}
  ROOT w = s32[4,8,8,2]{3,2,1,0} reshape(v)
}
"""


def test_an_all_to_all_along_two_axes_is_one_piece(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert prove(tmp_path, capsys, MOVED, MOVED_PART).startswith("0 proved")
    wrong = MOVED_PART.replace("0,2,4,6,1,3,5,7", "0,1,2,3,4,5,6,7")
    assert prove(tmp_path, capsys, MOVED, wrong).startswith("1 refuted")


# Relations


def test_a_relation_for_programs_without_shardings(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    bare = HLO.replace(", sharding={{replicated}}", "")
    for sharding in ("{devices=[1,4]<=[4]}", "{devices=[4,1]<=[4]}"):
        bare = bare.replace(f", sharding={sharding}", "")
    assert prove(tmp_path, capsys, bare, HLO_PART, relation=RELATION).startswith("0 proved")
    assert prove(tmp_path, capsys, MATMUL, HLO_PART, relation=RELATION).startswith("0 proved")
    assert prove(tmp_path, capsys, MATMUL, PART, relation=RELATION).startswith("1 refuted")


def test_a_relation_with_summands(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert prove(tmp_path, capsys, MATMUL, PART, relation=UNREDUCED).startswith("0 proved")
    assert prove(tmp_path, capsys, MATMUL, HLO_PART, relation=UNREDUCED).startswith("1 refuted")


SUMMANDS = """\
mesh = '<["x"=4]>'
arguments = ['[{}], unreduced={"x"}']
results = ['[{}], unreduced={"x"}']
"""


def elementwise(name: str) -> str:
    return f"""\
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = stablehlo.{name} %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}}
"""


@pytest.mark.parametrize(("name", "answer"), [("negate", "0 proved"), ("tanh", "1 refuted")])
def test_an_argument_in_summands(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, answer: str):
    """The negative of a sum is the sum of the negatives."""
    local = f"module attributes {{mhlo.num_partitions = 4 : i32}} {{\n{elementwise(name)}}}\n"
    assert prove(tmp_path, capsys, elementwise(name), local, relation=SUMMANDS).startswith(answer)


@pytest.mark.parametrize(("groups", "answer"), [("{{0,1,2,3}}", "0 proved"), ("{{0,1},{2,3}}", "1 refuted")])
def test_summands_that_are_summed(tmp_path: Path, capsys: pytest.CaptureFixture[str], groups: str, answer: str):
    whole = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n"
    local = (
        HLO_PART[: HLO_PART.index("ENTRY")].replace("{{0,1,2,3}}", groups)
        + f"""\
ENTRY main {{
  x = f32[4]{{0}} parameter(0)
  ROOT r = f32[4]{{0}} all-reduce(x), channel_id=1, replica_groups={groups}, use_global_device_ids=true, to_apply=add
}}
"""
    )
    relation = SUMMANDS.replace("results = ['[{}], unreduced={\"x\"}']", "results = ['[{}]']")
    assert prove(tmp_path, capsys, whole, local, relation=relation).startswith(answer)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mesh = ", "mash = ", "unknown key mash: a relation has mesh, arguments and results"),
        ("'[{\"x\"}, {}]']", "]", "1 arguments, but @main has 2: one line each"),
        ("arguments = [", "arguments = 3 #", "arguments is no list of strings"),
        ("arguments = ['", "arguments = [3, '", "arguments is no list of strings"),
        (
            '[{}, {"x"}]',
            '[{}, {"y"}]',
            'arguments 0: [{}, {"y"}] over the mesh <["x"=4]> is no sharding of sdy: unknown',
        ),
        ('[{}, {"x"}]', '[{"x"}]', "sharding doesn't match tensor rank: 1 != 2"),
        ('[{}, {"x"}]', '[{"x"}, {"x"}]', 'duplicate axis ref: "x"'),
        ('[{}, {"x"}]', '[{}, {"x"}', "is no sharding of sdy: expected ']'"),
        ("mesh = '<[\"x\"=4]>'", "", "expected '<'"),
        ("mesh = '<[\"x\"=4]>'", "mesh = ", "error: Invalid value"),
        ('"x"=4', '"x"=2', "the program is for 4 devices, and the mesh"),
    ],
)
def test_bad_relations(tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str):
    said = prove(tmp_path, capsys, MATMUL, PART, relation=RELATION.replace(old, new))
    assert said.startswith("1 ") and message in said


# Logs


def dump(name: str, text: str) -> str:
    return f"// -----// IR Dump After {name} //----- //\n{text}\n"


SHARDED = """\
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.add %x, %x : tensor<8x16xf32>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
"""

OF_DEVICE = """\
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8xf32> {
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.add %x, %x : tensor<8x4xf32>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = "stablehlo.all_reduce"(%1) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %3 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
"""

REDUCED_FIRST = """\
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8xf32> {
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %3 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %0 = stablehlo.add %1, %1 : tensor<8x4xf32>
    %2 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
"""


def log_of(folder: Path, capsys: pytest.CaptureFixture[str], *programs: tuple[str, str]) -> list[str]:
    file = folder / "passes.log"
    file.write_text("".join(dump(name, text) for name, text in programs))
    return command(capsys, "--log", str(file)).splitlines()


def answers(lines: list[str]) -> list[tuple[str, str]]:
    """The answer about each pass, and the name of the pass; the exit status is left out."""
    found = [line.removeprefix(lines[0][:2]).split() for line in lines]
    return [(words[0], words[-1]) for words in found if words[:1] and words[0] in ("proved", "refuted", "undecided")]


def test_a_log_of_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    renamed = OF_DEVICE.replace("%2", "%sum")
    lines = log_of(tmp_path, capsys, ("a", SHARDED), ("b", SHARDED), ("c", OF_DEVICE), ("d", renamed))
    assert lines[0].startswith("0 ")
    assert answers(lines) == [("proved", "b"), ("proved", "c"), ("proved", "d")]


def test_a_partitioner_that_needs_no_collectives(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    kept = (
        SHARDED[: SHARDED.index("    %c =")]
        .replace("(tensor<8xf32> {", "(tensor<8x16xf32> {")
        .replace("[{}]>}", '[{}, {"x"}]>}')
    )
    whole = f"{kept}    %0 = stablehlo.add %x, %x : tensor<8x16xf32>\n    return %0 : tensor<8x16xf32>\n  }}\n}}\n"
    local = elementwise("negate").replace("4xf32", "8x4xf32")
    added = local.replace("stablehlo.negate %x", "stablehlo.add %x, %x")
    assert answers(log_of(tmp_path, capsys, ("a", whole), ("b", added))) == [("proved", "b")]
    assert log_of(tmp_path, capsys, ("a", whole), ("b", local))[0].startswith("1 refuted")


def test_a_wrong_pass_between_whole_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    wrong = SHARDED.replace("add %x, %x", "multiply %x, %x")
    lines = log_of(tmp_path, capsys, ("a", SHARDED), ("b", wrong), ("c", OF_DEVICE))
    assert lines[0].startswith("1 ") and [each[0] for each in answers(lines) if each[1] in "bc"] == ["refuted"] * 2
    assert lines[-1] == "b is the first pass that changes what the program computes"


def test_a_wrong_pass_between_programs_of_a_device(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    wrong = OF_DEVICE.replace("[[0, 1, 2, 3]]", "[[0, 1], [2, 3]]").replace("1x4xi64", "2x2xi64")
    lines = log_of(tmp_path, capsys, ("a", SHARDED), ("b", OF_DEVICE), ("c", wrong))
    assert lines[0].startswith("1 proved")
    assert lines[-1] == "c is the first pass that changes what the program computes"


def test_a_wrong_partitioner(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    wrong = OF_DEVICE.replace("return %2", "return %1")
    lines = log_of(tmp_path, capsys, ("a", SHARDED), ("b", wrong), ("c", wrong))
    assert lines[-1] == "b is the first pass that changes what the program computes"


def test_passes_after_the_partitioner_keep_types(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    other = OF_DEVICE.replace("8x4xf32", "8x8xf32")
    lines = log_of(tmp_path, capsys, ("a", SHARDED), ("b", OF_DEVICE), ("c", other))
    assert "argument 0 is a tensor<8x8xf32>, but in" in lines[-1] and "it is a tensor<8x4xf32>" in lines[-1]


def test_only_programs_of_tensors_are_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    token = "func.func @main(%x: !stablehlo.token) -> !stablehlo.token { return %x : !stablehlo.token }"
    lines = log_of(tmp_path, capsys, ("a", token), ("b", token))
    assert lines[0].startswith("1 ") and "the program takes or returns a !stablehlo.token" in lines[0]


def test_elements_that_the_text_leaves_out_are_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Other numbers may have been left out in the other text."""
    constant = "  c = f32[8,8]{1,0} constant({...})\n"
    whole, local = (
        text.replace("  ROOT t", f"{constant}  ROOT t").replace(f"tuple({result})", "tuple(c)")
        for text, result in ((HLO, "d"), (HLO_PART, "r"))
    )
    assert "write it with --xla_dump_large_constants" in prove(tmp_path, capsys, whole, local)


def test_a_right_pass_that_is_not_proved_is_undecided(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The sum of sums in another order: no input refutes it, and the kernel of devices need not prove it."""
    lines = log_of(tmp_path, capsys, ("a", OF_DEVICE), ("b", REDUCED_FIRST))
    assert lines[0][0] in "03"


def test_each_module_of_a_folder_of_xla_is_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    wrong = HLO_PART.replace("tuple(r)", "tuple(d)")
    for name, text in {
        "module_0001.jit_f.before_optimizations": HLO,
        "module_0001.jit_f.0000.spmd.after_pipeline-start.before_spmd-partitioning": HLO,
        "module_0001.jit_f.0001.spmd.after_spmd-partitioning.before_dce": HLO_PART,
        "module_0001.jit_f.0010.opt.after_bad.before_cse": wrong,
        "module_0001.jit_f.cpu_after_optimizations": wrong,
        "module_0001.jit_f.cpu_after_optimizations-buffer-assignment": "not HLO",
        "module_0002.jit_g.before_optimizations": HLO,
        "module_0002.jit_g.0001.spmd.after_spmd-partitioning.before_dce": HLO_PART,
    }.items():
        (tmp_path / f"{name}.txt").write_text(text)
    lines = command(capsys, "--log", str(tmp_path)).splitlines()
    assert answers(lines)[-1] == ("proved", "spmd-partitioning")
    assert [
        answer for answer in answers(lines) if answer[1] in ("spmd-partitioning", "bad", "after_optimizations")
    ] == [
        ("proved", "spmd-partitioning"),
        ("refuted", "bad"),
        ("proved", "after_optimizations"),
        ("proved", "spmd-partitioning"),
    ]
    assert lines[-1] == "bad is the first pass that changes what the program computes"


@pytest.mark.parametrize("text", ["", MATMUL, dump("a", MATMUL)])
def test_no_log(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str):
    (tmp_path / "passes.log").write_text(text)
    said = command(capsys, "--log", str(tmp_path / "passes.log"))
    assert said.startswith("1 ") and "a log has the program after each of several passes" in said


def test_a_log_takes_no_other_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    said = command(capsys, "--log", str(tmp_path), "other.mlir")
    assert said.startswith("2 ") or "--log takes a log" in said


def test_summands_without_axes_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """XLA marks a product whose parts are left unreduced, and leaves out along which axes."""
    whole, local = tmp_path / "whole.hlo", tmp_path / "local.hlo"
    mark = ', frontend_attributes={xla.sdy.has_unreduced_axes="true"}\n'
    whole.write_text(HLO.replace("sharding={devices=[4,1]<=[4]}\n  ROOT", f"sharding={{replicated}}{mark}  ROOT"))
    local.write_text(HLO_PART)
    assert main(["prove", str(whole), str(local)]) == 1
    assert "whole.hlo:5: error: xla.sdy.has_unreduced_axes says that devices have summands" in capsys.readouterr().err


HLO_SUMMANDS = """\
HloModule m, num_partitions=4
ENTRY main {
  x = f32[8,4] parameter(0), sharding=PARAMETER
  ROOT r = f32[8,4] copy(x), sharding=RESULT
}
"""

COPY = "ROOT r = f32[8,4] copy(x)"
SUM = "ROOT r = f32[8,4] all-reduce(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add"
PAIRS = "ROOT r = f32[8,4] all-reduce(x), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=add"
FIRST = """\
  p = u32[] partition-id()
  z = u32[] constant(0)
  c = pred[] compare(p, z), direction=EQ
  q = pred[8,4] broadcast(c), dimensions={}
  f = f32[] constant(0)
  g = f32[8,4] broadcast(f), dimensions={}
  ROOT r = f32[8,4] select(q, x, g)"""
IN_PAIRS = "{devices=[2,1,2]<=[4] last_tile_dims={unreduced}}"
REPLICAS = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"


@pytest.mark.parametrize(
    ("parameter", "result", "body", "status"),
    [
        ("{unreduced}", "{unreduced}", COPY, 0),
        ("{unreduced}", "{replicated}", SUM, 0),
        ("{unreduced}", "{replicated}", COPY, 1),
        ("{replicated}", "{unreduced}", FIRST, 0),
        ("{replicated}", "{unreduced}", COPY, 1),
        (IN_PAIRS, REPLICAS, PAIRS, 0),
        (IN_PAIRS, REPLICAS, COPY, 1),
        (IN_PAIRS, IN_PAIRS, COPY, 0),
    ],
)
def test_unreduced_tensors_of_hlo_are_summands(parameter: str, result: str, body: str, status: int, tmp_path: Path):
    whole, local = tmp_path / "whole.hlo", tmp_path / "local.hlo"
    whole.write_text(HLO_SUMMANDS.replace("PARAMETER", parameter).replace("RESULT", result))
    rows = 4 if parameter == IN_PAIRS else 8
    local.write_text(
        "HloModule m, num_partitions=4\n"
        "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
        f"ENTRY main {{ x = f32[8,4] parameter(0)\n {body} }}\n".replace("[8,4]", f"[{rows},4]")
    )
    assert main(["prove", str(whole), str(local)]) == status
