"""
The emitters as their specification has them: each stage makes the next listing, from `gelu.hlo` on.

The listings stand in `tests/numerics/Inputs/`, in the document's corrected form: `test_documented_stages.py` executes
them.
"""

import re
from pathlib import Path

import pytest
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from xshardy.api import emit, parse, print_module, run_passes
from xshardy.dialects.hlo import FusionOp
from xshardy.dialects.stablehlo.shape import TransposeOp
from xshardy.emitters import explain
from xshardy.hlo_text import parse_hlo
from xshardy.indexing.operations import operand_maps
from xshardy.tools.xshardy_opt import run

ROOT = Path(__file__).parents[3]
GELU = ROOT / "examples" / "gelu.hlo"
STAGES = {
    "XGPU-32": ("converted", "inline", "inlined"),
    "XGPU-33": ("inlined", "xla-gpu-lower-xla-gpu-loops-to-scf", "scf"),
    "XGPU-34": ("scf", "xla-gpu-simplify-arith,canonicalize,xla-gpu-flatten-tensors", "flattened"),
    "XGPU-35": ("flattened", "xla-gpu-vectorize-loads-stores", "vectorized"),
    "XGPU-36": ("vectorized", "xla-gpu-optimize-loops", "unrolled"),
}
"""The listing before a stage, its passes, and the listing after it."""


def listing(stage: str) -> ModuleOp:
    return parse((ROOT / "tests" / "numerics" / "Inputs" / f"gelu_{stage}.mlir").read_bytes())


def canonical(module: ModuleOp) -> str:
    """The text of `module` in canonical form: constants in order, without names, and attributes of functions."""
    run_passes(module, "canonicalize,cse")
    module.attributes.clear()
    for op in module.walk():
        if isinstance(op, FuncOp):
            op.attributes.clear()
            op.properties.pop("arg_attrs", None)
        for value in (*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)):
            value.name_hint = None
    constants = [op for op in module.walk() if isinstance(op, arith.ConstantOp)]
    for constant in sorted(constants, key=lambda op: str(op.value), reverse=True):
        block = constant.parent
        assert block is not None and block.first_op is not None
        constant.detach()
        block.insert_op_before(constant, block.first_op)
    return re.sub(r"@(fused_\w+|gelu\w*)", "@gelu", print_module(module))


@pytest.mark.parametrize("row", STAGES)
def test_a_stage_makes_the_next_listing(row: str):
    before, passes, after = STAGES[row]
    module = listing(before)
    run_passes(module, passes)
    assert canonical(module) == canonical(listing(after))


LEVELS = ["converted", *(after for _, _, after in STAGES.values())]


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_of_gelu_is_its_listing(level: str):
    """XGPU-03, XGPU-31 and XGPU-42: from the text of the document, through the pipeline in its order (XGPU-10)."""
    module = emit(str(GELU))
    if level != "converted":
        run_passes(module, f"xla-gpu-codegen-pipeline{{until={level}}}")
    assert canonical(module) == canonical(listing(level))


def test_the_llvm_of_gelu_has_the_operations_of_its_listing():
    """XGPU-37 and XGPU-38: bf16 arithmetic, a libdevice function of f32, an invariant load, indices of 32 bits."""
    module = emit(str(GELU))
    run_passes(module, "xla-gpu-codegen-pipeline{math=libdevice}")

    def operations(module: ModuleOp) -> list[str]:
        ignored = ("builtin.module", "llvm.mlir.constant", "nvvm.griddepcontrol")
        return [op.name for op in module.walk() if op.name not in ignored]

    assert operations(module) == operations(listing("llvm"))
    text = print_module(module)
    assert "invariant" in text and "@__nv_tanhf(f32) -> f32" in text and "memref" not in text
    (offset,) = (op for op in module.walk() if isinstance(op, llvm.AddOp))
    assert str(offset.res.type) == "i32"
    assert all(str(op.res.type) == "bf16" for op in module.walk() if isinstance(op, llvm.FMulOp | llvm.FAddOp))


def test_a_check_stays_where_the_range_is_larger_than_the_domain():
    """XGPU-33 with XGPU-30: the bounds check is folded by `xla.range` and by nothing else."""
    text = print_module(listing("scf"))
    passes = ["-p", "xla-gpu-simplify-arith,canonicalize"]
    assert "scf.if" not in run(passes, text)[1]
    assert "scf.if" in run(passes, text.replace("xla.range = [0 : index, 127 : index]", "xla.range = [0, 128]"))[1]


TRANSPOSE = """HloModule transpose_example

fused {
  %p0 = f32[20,160,170] parameter(0)
  %exp = f32[20,160,170] exponential(%p0)
  %transpose = f32[170,160,20] transpose(%exp), dimensions={2,1,0}
  ROOT %abs = f32[170,160,20] abs(%transpose)
}

ENTRY main {
  %p0 = f32[20,160,170] parameter(0)
  ROOT %fusion = f32[170,160,20] fusion(%p0), kind=kInput, calls=fused
}
"""


def names(op: Operation) -> list[str]:
    """The operations in `op` of the levels above `arith`, in order."""
    return [inner.name for inner in op.walk() if not inner.name.startswith(("arith.", "builtin.", "func."))]


def test_the_transpose_is_emitted_as_its_listing():
    """XGPU-09 and XGPU-40: 960 blocks of 128 threads, a tile of 32x1x33, and the barrier between the loops."""
    module = emit(TRANSPOSE.encode())
    run_passes(module, "inline")
    expected = parse((ROOT / "tests" / "numerics" / "Inputs" / "transpose.mlir").read_bytes())

    def steps(module: ModuleOp) -> list[str]:
        return [name for name in names(module) if name != "xla_gpu.apply_indexing"]

    assert steps(module) == steps(expected)
    text = print_module(module)
    assert "xla_gpu.allocate_shared : tensor<32x1x33xf32>" in text
    assert "known_block_size = array<i32: 128, 1, 1>" in text and "known_grid_size = array<i32: 960, 1, 1>" in text


def test_signatures_of_the_functions_of_gelu():
    """XGPU-19 and XGPU-20: tensors, then indices, to a scalar. XGPU-21: inputs and outputs, to outputs."""
    entry, element = (op for op in emit(str(GELU)).ops if isinstance(op, FuncOp))
    tensor = "tensor<6x512x4096xbf16>"
    assert [str(type) for type in entry.function_type.inputs] == [tensor, tensor]
    assert [str(type) for type in entry.function_type.outputs] == [tensor]
    assert [str(type) for type in element.function_type.inputs] == [tensor, "index", "index", "index"]
    assert [str(type) for type in element.function_type.outputs] == ["bf16"]


HEAD = """#map = #xla_gpu.indexing_map<"(th_x, bl_x)[i] -> ("
 "bl_x floordiv 4, (bl_x mod 4) * 32 + th_x + i),"
 "domain: th_x in [0, 31], bl_x in [0, 7], i in [0, 1], "
 "th_x + i in [0, 30]">
"""
FORMS = {
    "XGPU-23": (
        "  %0:2 = xla_gpu.apply_indexing #plain(%a, %b)[%a]\n",
        "(a, b)[s] -> (a floordiv 2 + s, b mod 4), domain: a in [0, 31], b in [0, 7], s in [0, 31]",
        "adjacent literals are joined",
    ),
    "XGPU-24, XGPU-25": (
        "  %0 = xla_gpu.loop (%a, %b)[%i] -> (%x, %y) in #map iter_args(%it = %t) -> (tensor<2x160xf32>) {\n"
        "    %1 = tensor.insert %f into %it[%x, %y] : tensor<2x160xf32>\n"
        "    xla_gpu.yield %1 : tensor<2x160xf32>\n  }\n",
        "xla_gpu.loop",
        "a loop over the domain",
    ),
    "XGPU-26": ("  %0 = xla_gpu.pure_call @g(%f) : (f32) -> f32\n", "xla_gpu.pure_call @g", "a call"),
    "XGPU-27": ("  %0 = xla_gpu.apply_indexing #dims(%a, %b)\n", "(%arg0, %arg1)", "no brackets without symbols"),
    "XGPU-28": ("  %0 = xla_gpu.allocate_shared : tensor<32x1x33xf32>\n", ": tensor<32x1x33xf32>", "shared memory"),
    "XGPU-29": ("  %0 = xla_gpu.sync_threads %t : tensor<2x160xf32>\n", "xla_gpu.sync_threads", "a barrier"),
    "XGPU-30": (
        "  %0 = gpu.thread_id x {xla.range = [0 : index, 127 : index]}\n",
        "{xla.range = [0 : index, 127 : index]}",
        "both bounds included",
    ),
}
"""A form of each operation in the listings, and a part of it that is printed."""


@pytest.mark.parametrize("row", FORMS)
def test_a_form_of_the_listings_is_read_and_printed(row: str):
    lines, printed, _ = FORMS[row]
    text = (
        HEAD
        + '#plain = #xla_gpu.indexing_map<"(a, b)[s] -> (a floordiv 2 + s, b mod 4), "\n'
        + ' "domain: a in [0, 31], b in [0, 7], s in [0, 31]">\n'
        + '#dims = #xla_gpu.indexing_map<"(a, b) -> (a + b * 2), domain: a in [0, 31], b in [0, 7]">\n'
        + "func.func private @g(%x: f32) -> f32 {\n  return %x : f32\n}\n"
        + f"func.func @f(%a: index, %b: index, %t: tensor<2x160xf32>, %f: f32) {{\n{lines}  return\n}}\n"
    )
    module = parse(text.encode())
    again = print_module(module)
    assert printed in again
    assert print_module(parse(again.encode())) == again


def fused(body: str, result: str, kind: str = "kLoop") -> str:
    """A module with one fusion of `body`, whose parameters are p0, p1, ..."""
    parameters = [line.strip() for line in body.split("\n") if " parameter(" in line]
    operands = ", ".join(line.split(" ")[0] for line in parameters)
    return (
        "HloModule m\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n"
        f"fused {{\n{body}\n}}\nENTRY main {{\n" + "\n".join(parameters) + "\n"
        f"  ROOT fusion = {result} fusion({operands}), kind={kind}, calls=fused\n}}\n"
    )


EMITTERS = {
    "XGPU-03": (
        "loop",
        "p0 = f32[64] parameter(0)\nROOT r = f32[64] exponential(p0)",
        "f32[64]",
    ),
    "XGPU-04": (
        "concatenate",
        "p0 = f32[64] parameter(0)\np1 = f32[32] parameter(1)\nROOT r = f32[96] concatenate(p0, p1), dimensions={0}",
        "f32[96]",
    ),
    "XGPU-05": (
        "in_place_dynamic_update_slice",
        "p0 = f32[64] parameter(0)\np1 = f32[8] parameter(1)\np2 = s32[] parameter(2)\n"
        "ROOT r = f32[64] dynamic-update-slice(p0, p1, p2)",
        "f32[64]",
    ),
    "XGPU-06": (
        "input_slices",
        "p0 = f32[64] parameter(0)\nn = f32[64] negate(p0)\na = f32[8] slice(n), slice={[0:8]}\n"
        "b = f32[16] slice(n), slice={[4:20]}\nROOT r = (f32[8], f32[16]) tuple(a, b)",
        "(f32[8], f32[16])",
    ),
    "XGPU-07": (
        "row_reduction",
        "p0 = f32[8,1024] parameter(0)\nz = f32[] constant(0)\n"
        "ROOT r = f32[8] reduce(p0, z), dimensions={1}, to_apply=sum",
        "f32[8]",
    ),
    "XGPU-08": (
        "scatter",
        "p0 = f32[64] parameter(0)\np1 = s32[8,1] parameter(1)\np2 = f32[8] parameter(2)\n"
        "ROOT r = f32[64] scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
        "f32[64]",
    ),
    "XGPU-09": (
        "transpose",
        "p0 = f32[64,64] parameter(0)\nROOT r = f32[64,64] transpose(p0), dimensions={1,0}",
        "f32[64,64]",
    ),
}
"""A hero of each of the seven emitters."""


@pytest.mark.parametrize("row", EMITTERS)
def test_the_hero_of_a_fusion_chooses_its_emitter(row: str):
    """XGPU-02: each kind of hero has an emitter, and the loop emitter is the default."""
    emitter, body, result = EMITTERS[row]
    (fusion,) = (op for op in parse_hlo(fused(body, result)).walk() if isinstance(op, FusionOp))
    choice = explain(fusion)
    assert choice.emitter == emitter
    assert (choice.hero is None) == (emitter == "loop")


@pytest.mark.parametrize("row", EMITTERS)
def test_only_reductions_and_transposes_use_shared_memory(row: str):
    """XGPU-02: the other emitters are loops, without shared memory."""
    _, body, result = EMITTERS[row]
    text = print_module(emit(fused(body, result).encode()))
    assert ("xla_gpu.allocate_shared" in text) == (row in ("XGPU-07", "XGPU-09"))
    assert ("xla_gpu.shuffle_reduce" in text) == (row == "XGPU-07")


def test_the_map_of_a_transpose():
    """XGPU-15: a transpose from 20x40 to 40x20 reads `(d1, d0)`."""
    body = "func.func @f(%x: tensor<20x40xf32>) {\n  %0 = stablehlo.transpose %x, dims = [1, 0] : "
    module = parse(f"{body}(tensor<20x40xf32>) -> tensor<40x20xf32>\n  return\n}}\n".encode())
    (op,) = (op for op in module.walk() if isinstance(op, TransposeOp))
    ((map,),) = operand_maps(op)
    assert str(map).startswith("(d0, d1) -> (d1, d0)")


def test_a_pad_is_a_branch_with_the_padding_value_in_the_else():
    """XGPU-16: low padding 1 and interior padding 2 give `(d - 1) floordiv 3`, where `(d - 1) mod 3` is 0."""
    body = "p0 = f32[4] parameter(0)\np1 = f32[] parameter(1)\nROOT r = f32[14] pad(p0, p1), padding=1_3_2"
    text = print_module(emit(fused(body, "f32[14]").encode()))
    assert "((d0 - 1) mod 3)" in text and "((d0 - 1) floordiv 3)" in text and "scf.if" in text and "else" in text


def test_tuples_inside_are_taken_apart_and_a_root_may_be_flat():
    """XGPU-17."""
    nested = (
        "p0 = f32[4] parameter(0)\nn = f32[4] negate(p0)\nt = (f32[4], f32[4]) tuple(p0, n)\n"
        "g = f32[4] get-tuple-element(t), index=1\na = f32[4] abs(g)\nROOT r = (f32[4], f32[4]) tuple(a, n)"
    )
    module = emit(fused(nested, "(f32[4], f32[4])").encode())
    (entry, *_) = (op for op in module.ops if isinstance(op, FuncOp))
    assert [str(type) for type in entry.function_type.outputs] == ["tensor<4xf32>"] * 2
    assert not any("tuple" in op.name for op in module.walk())


EFFECTS = """
func.func private @g(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}
func.func @f(%x: f32, %t: tensor<4xf32>) -> (f32, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a = xla_gpu.pure_call @g(%x) : (f32) -> f32
  %b = xla_gpu.pure_call @g(%x) : (f32) -> f32
  %unused = xla_gpu.pure_call @g(%a) : (f32) -> f32
  %sum = arith.addf %a, %b : f32
  %s = xla_gpu.allocate_shared : tensor<8xf32>
  %u = xla_gpu.allocate_shared : tensor<8xf32>
  %synced = xla_gpu.sync_threads %s : tensor<8xf32>
  %again = xla_gpu.sync_threads %synced : tensor<8xf32>
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%it = %t) -> (tensor<4xf32>) {
    %moved = xla_gpu.pure_call @g(%sum) : (f32) -> f32
    %n = tensor.insert %moved into %it[%i] : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %sum, %r, %synced, %u : f32, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>
}
"""


def test_calls_are_merged_moved_and_removed_and_shared_memory_is_not():
    """XGPU-26, XGPU-28 and XGPU-29: a call is pure; each tensor in shared memory is another, and a barrier stays."""
    module = parse(EFFECTS.encode())
    run_passes(module, "canonicalize,cse,loop-invariant-code-motion")
    assert [name for name in names(module) if name not in ("math.exp", "tensor.insert")] == [
        *("xla_gpu.pure_call", "xla_gpu.allocate_shared", "xla_gpu.allocate_shared"),
        *("xla_gpu.sync_threads", "xla_gpu.sync_threads", "xla_gpu.pure_call", "scf.for", "scf.yield"),
    ]
