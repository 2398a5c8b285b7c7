"""The emitter that each fusion gets for its hero, and what its kernel computes, at every level."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis.strategies import DrawFn, booleans, composite, integers, lists, permutations, sampled_from

from xshardy import compiler
from xshardy.dialects.hlo import FusionOp
from xshardy.emitters import emit_fusion, explain
from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.inputs import inputs_of
from xshardy.interpreters.reference import Reference
from xshardy.tools.execution import execute_fusion
from xshardy.transforms.xla_gpu.codegen_pipeline import EMITTED, LEVELS

BODIES = """
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
add16 { a = f16[] parameter(0)  b = f16[] parameter(1)  ROOT r = f16[] add(a, b) }
max { a = s8[] parameter(0)  b = s8[] parameter(1)  ROOT r = s8[] maximum(a, b) }
mul { a = c64[] parameter(0)  b = c64[] parameter(1)  ROOT r = c64[] multiply(a, b) }
sum { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = s32[] add(a, b) }
second { a = u16[] parameter(0)  ROOT b = u16[] parameter(1) }
both {
  a = f32[] parameter(0)  b = s32[] parameter(1)  c = f32[] parameter(2)  d = s32[] parameter(3)
  x = f32[] maximum(a, c)  y = s32[] minimum(b, d)  ROOT r = (f32[], s32[]) tuple(x, y)
}
"""

FUSIONS = {
    "rows": (
        "row_reduction",
        "p = f32[5,700] parameter(0) z = f32[] constant(0) ROOT r = f32[5] reduce(p, z), dimensions={1}, to_apply=add",
    ),
    "rows of any sizes": (
        "row_reduction",
        "p = f16[3,77,2] parameter(0) b = f16[3,154] bitcast(p) z = f16[] constant(0) "
        "ROOT r = f16[3] reduce(b, z), dimensions={1}, to_apply=add16",
    ),
    "rows reduced twice": (
        "row_reduction",
        "p = f32[3,5,40] parameter(0) z = f32[] constant(0) "
        "ROOT r = f32[5] reduce(p, z), dimensions={0,2}, to_apply=add",
    ),
    "all of it": (
        "row_reduction",
        "p = s32[6,50] parameter(0) z = s32[] constant(0) ROOT r = s32[] reduce(p, z), dimensions={0,1}, to_apply=sum",
    ),
    "short rows": (
        "multirow_reduction",
        "p = f32[70,16] parameter(0) z = f32[] constant(0) ROOT r = f32[70] reduce(p, z), dimensions={1}, to_apply=add",
    ),
    "rows of one": (
        "loop",
        "p = s32[70,1] parameter(0) z = s32[] constant(3) ROOT r = s32[70] reduce(p, z), dimensions={1}, to_apply=sum",
    ),
    "columns": (
        "column_reduction",
        "p = f32[70,66] parameter(0) z = f32[] constant(0) ROOT r = f32[66] reduce(p, z), dimensions={0}, to_apply=add",
    ),
    "columns of bytes": (
        "column_reduction",
        "p = s8[2,50,160] parameter(0) z = s8[] constant(-128) "
        "ROOT r = s8[2,160] reduce(p, z), dimensions={1}, to_apply=max",
    ),
    "complex columns": (
        "column_reduction",
        "p = c64[33,40] parameter(0) z = c64[] constant((1, 0)) "
        "ROOT r = c64[40] reduce(p, z), dimensions={0}, to_apply=mul",
    ),
    "few columns": (
        "small_column_reduction",
        "p = f32[300,4] parameter(0) z = f32[] constant(0) ROOT r = f32[4] reduce(p, z), dimensions={0}, to_apply=add",
    ),
    "fewer columns than threads of a warp": (
        "column_reduction",
        "p = f32[130,5] parameter(0) z = f32[] constant(0) ROOT r = f32[5] reduce(p, z), dimensions={0}, to_apply=add",
    ),
    "made of two sums": (
        "row_wise",
        "p = s32[4,100] parameter(0) q = s32[4,100] parameter(1) z = s32[] constant(0) "
        "r = s32[4] reduce(p, z), dimensions={1}, to_apply=sum s = s32[4] reduce(q, z), dimensions={1}, to_apply=sum "
        "ROOT t = s32[4] multiply(r, s)",
    ),
    "a sum beside a function of two operands": (
        "row_wise",
        "p = f32[40,512] parameter(0) b = f32[40] parameter(1) z = f32[] constant(0) "
        "r = f32[40] reduce(p, z), dimensions={1}, to_apply=add ROOT t = f32[40] multiply(r, b)",
    ),
    "two results at once": (
        "row_reduction",
        "p = f32[4,100] parameter(0) i = s32[4,100] iota(), iota_dimension=1 "
        "z = f32[] constant(-inf) o = s32[] constant(2147483647) "
        "ROOT r = (f32[4], s32[4]) reduce(p, i, z, o), dimensions={1}, to_apply=both",
    ),
    "made of the sum": (
        "row_reduction",
        "p = f32[4,100] parameter(0) z = f32[] constant(0) "
        "r = f32[4] reduce(p, z), dimensions={1}, to_apply=add n = f32[4] negate(r) "
        "b = f32[2,2] bitcast(n) ROOT t = (f32[2,2], f32[4]) tuple(b, n)",
    ),
    "beside the sum": (
        "row_reduction",
        "p = f32[4,100] parameter(0) z = f32[] constant(0) e = f32[4,100] multiply(p, p) "
        "r = f32[4] reduce(e, z), dimensions={1}, to_apply=add "
        "ROOT t = (f32[4], f32[4,100]) tuple(r, e)",
    ),
    "two groups": (
        "row_reduction",
        "p = f32[4,100] parameter(0) q = f32[4,100] parameter(1) z = f32[] constant(0) "
        "r = f32[4] reduce(p, z), dimensions={1}, to_apply=add "
        "s = f32[4] reduce(q, z), dimensions={1}, to_apply=add ROOT t = (f32[4], f32[4]) tuple(r, s)",
    ),
    "a layout of the input": (
        "row_reduction",
        "p = f32[100,4]{0,1} parameter(0) z = f32[] constant(0) "
        "ROOT r = f32[4] reduce(p, z), dimensions={0}, to_apply=add",
    ),
    "a layout of the result": (
        "row_reduction",
        "p = f32[3,5,40] parameter(0) z = f32[] constant(0) "
        "ROOT r = f32[3,5]{0,1} reduce(p, z), dimensions={2}, to_apply=add",
    ),
    "columns too short to share": (
        "loop",
        "p = f32[7,66] parameter(0) z = f32[] constant(0) ROOT r = f32[66] reduce(p, z), dimensions={0}, to_apply=add",
    ),
    "columns and rows in between": (
        "loop",
        "p = f32[40,3,40,3] parameter(0) z = f32[] constant(0) "
        "ROOT r = f32[3,3] reduce(p, z), dimensions={0,2}, to_apply=add",
    ),
    "reductions unlike each other": (
        "loop",
        "p = f32[64,64] parameter(0) z = f32[] constant(0) "
        "r = f32[64] reduce(p, z), dimensions={1}, to_apply=add "
        "c = f32[64] reduce(p, z), dimensions={0}, to_apply=add "
        "ROOT t = (f32[64], f32[64]) tuple(r, c)",
    ),
    "transpose": ("transpose", "p = f32[40,50] parameter(0) ROOT t = f32[50,40] transpose(p), dimensions={1,0}"),
    "transpose in batches": (
        "transpose",
        "p = f64[3,20,33] parameter(0) e = f64[3,20,33] negate(p) "
        "ROOT t = f64[3,33,20] transpose(e), dimensions={0,2,1}",
    ),
    "transpose of three": (
        "transpose",
        "p = s32[20,3,18] parameter(0) ROOT t = s32[18,3,20] transpose(p), dimensions={2,1,0}",
    ),
    "transpose of vectors": (
        "transpose",
        "p = s8[20,30,5] parameter(0) ROOT t = s8[30,20,5] transpose(p), dimensions={1,0,2}",
    ),
    "a copy to another layout": ("transpose", "p = f32[40,50] parameter(0) ROOT c = f32[40,50]{0,1} copy(p)"),
    "around a transpose": (
        "transpose",
        "p = f32[40,50] parameter(0) q = f32[50,40] parameter(1) "
        "e = f32[40,50] exponential(p) t = f32[50,40] transpose(e), dimensions={1,0} "
        "s = f32[50,40] add(t, q) ROOT r = (f32[50,40], f32[40,50]) tuple(s, e)",
    ),
    "two transposes": (
        "transpose",
        "p = f32[40,50] parameter(0) e = f32[40,50] negate(p) "
        "t = f32[50,40] transpose(p), dimensions={1,0} u = f32[50,40] transpose(e), dimensions={1,0} "
        "ROOT r = (f32[50,40], f32[50,40]) tuple(t, u)",
    ),
    "a packed transpose": (
        "packed_transpose",
        "p = bf16[36,75] parameter(0) ROOT t = bf16[75,36] transpose(p), dimensions={1,0}",
    ),
    "a packed transpose of bytes": (
        "packed_transpose",
        "p = s8[3,44,130] parameter(0) ROOT t = s8[3,130,44] transpose(p), dimensions={0,2,1}",
    ),
    "a packed transpose of small floats": (
        "packed_transpose",
        "p = f8e4m3fn[40,20,12] parameter(0) ROOT t = f8e4m3fn[12,20,40] transpose(p), dimensions={2,1,0}",
    ),
    "a packed transpose of half bytes": (
        "packed_transpose",
        "p = u4[88,96]{1,0:E(4)} parameter(0) ROOT t = u4[96,88]{1,0:E(4)} transpose(p), dimensions={1,0}",
    ),
    "a packed transpose of short rows": (
        "packed_transpose",
        "p = s16[20,23,6] parameter(0) ROOT t = s16[6,23,20] transpose(p), dimensions={2,1,0}",
    ),
    "a packed copy to another layout": (
        "packed_transpose",
        "p = u16[50,44] parameter(0) ROOT c = u16[50,44]{0,1} copy(p)",
    ),
    "around a packed transpose": (
        "packed_transpose",
        "p = f16[48,50] parameter(0) q = f16[50,48] parameter(1) e = f16[48,50] exponential(p) "
        "t = f16[50,48] transpose(e), dimensions={1,0} s = f16[50,48] add(t, q) b = f16[5,10,48] bitcast(s) "
        "ROOT r = (f16[5,10,48], f16[48,50]) tuple(b, e)",
    ),
    "two packed transposes": (
        "packed_transpose",
        "p = s16[2,40,34] parameter(0) q = bf16[2,40,34] parameter(1) "
        "t = s16[2,34,40] transpose(p), dimensions={0,2,1} u = bf16[2,34,40] transpose(q), dimensions={0,2,1} "
        "ROOT r = (s16[2,34,40], bf16[2,34,40]) tuple(t, u)",
    ),
    "a transpose of truth values": (
        "packed_transpose",
        "p = s32[44,52] parameter(0) q = s32[44,52] parameter(1) c = pred[44,52] compare(p, q), direction=LT "
        "t = pred[52,44] transpose(c), dimensions={1,0} ROOT n = pred[52,44] not(t)",
    ),
    "a transpose of no whole squares": (
        "transpose",
        "p = bf16[37,41] parameter(0) ROOT t = bf16[41,37] transpose(p), dimensions={1,0}",
    ),
    "more transposes than fit into shared memory": (
        "loop",
        "p = c128[20,20] parameter(0) a = c128[20,20] negate(p) b = c128[20,20] add(p, p) "
        "t = c128[20,20] transpose(p), dimensions={1,0} u = c128[20,20] transpose(a), dimensions={1,0} "
        "v = c128[20,20] transpose(b), dimensions={1,0} "
        "ROOT r = (c128[20,20], c128[20,20], c128[20,20]) tuple(t, u, v)",
    ),
    "a transpose too narrow": (
        "loop",
        "p = f32[3,500] parameter(0) ROOT t = f32[500,3] transpose(p), dimensions={1,0}",
    ),
    "transposes in other shapes": (
        "transpose",
        "p = f32[40,50] parameter(0) e = f32[40,50] negate(p) "
        "t = f32[50,40] transpose(p), dimensions={1,0} u = f32[50,40] transpose(e), dimensions={1,0} "
        "b = f32[2000] bitcast(u) n = f32[4,500] bitcast(e) "
        "ROOT r = (f32[50,40], f32[2000], f32[4,500]) tuple(t, b, n)",
    ),
    "packed transposes in other shapes": (
        "packed_transpose",
        "p = f16[40,50] parameter(0) e = f16[40,50] negate(p) "
        "t = f16[50,40] transpose(p), dimensions={1,0} u = f16[50,40] transpose(e), dimensions={1,0} "
        "b = f16[2000] bitcast(u) n = f16[4,500] bitcast(e) "
        "ROOT r = (f16[50,40], f16[2000], f16[4,500]) tuple(t, b, n)",
    ),
    "transposes of other ranks": (
        "packed_transpose",
        "p = s8[40,48] parameter(0) q = s8[8,5,48] parameter(1) t = s8[48,40] transpose(p), dimensions={1,0} "
        "u = s8[48,8,5] transpose(q), dimensions={2,0,1} ROOT r = (s8[48,40], s8[48,8,5]) tuple(t, u)",
    ),
    "transposes unlike each other": (
        "loop",
        "p = f32[40,50] parameter(0) q = f32[50,40] parameter(1) t = f32[50,40] transpose(p), dimensions={1,0} "
        "u = f32[40,50] transpose(q), dimensions={1,0} ROOT r = (f32[50,40], f32[40,50]) tuple(t, u)",
    ),
    "a transpose that moves rows": (
        "loop",
        "p = f32[8,9,64] parameter(0) ROOT t = f32[9,8,64] transpose(p), dimensions={1,0,2}",
    ),
    "concatenation": (
        "concatenate",
        "p = f32[3,7] parameter(0) q = f32[3,5] parameter(1) e = f32[3,5] negate(q) "
        "c = f32[3,12] concatenate(p, e), dimensions={1} ROOT n = f32[36] bitcast(c)",
    ),
    "concatenation with nothing": (
        "concatenate",
        "p = f32[3,7] parameter(0) q = f32[0,7] parameter(1) ROOT c = f32[3,7] concatenate(q, p), dimensions={0}",
    ),
    "concatenation of many": (
        "loop",
        "p = f32[3] parameter(0) ROOT c = f32[15] concatenate(p, p, p, p, p), dimensions={0}",
    ),
    "slices": (
        "input_slices",
        "p = f32[9,20] parameter(0) e = f32[9,20] negate(p) "
        "s = f32[4,20] slice(e), slice={[0:4],[0:20]} u = f32[6,3] slice(e), slice={[2:8],[5:8]} "
        "ROOT t = (f32[4,20], f32[6,3]) tuple(s, u)",
    ),
    "slices with gaps": (
        "loop",
        "p = f32[9] parameter(0) s = f32[3] slice(p), slice={[0:9:3]} "
        "u = f32[3] slice(p), slice={[0:3]} ROOT t = (f32[3], f32[3]) tuple(s, u)",
    ),
    "an update in place": (
        "in_place_dynamic_update_slice",
        "p = f32[20,9] parameter(0) u = f32[3,4] parameter(1) "
        "i = s32[] parameter(2) j = s32[] parameter(3) e = f32[3,4] negate(u) "
        "ROOT d = f32[20,9] dynamic-update-slice(p, e, i, j)",
    ),
    "an update of what is read, too": (
        "loop",
        "p = f32[20] parameter(0) i = s32[] parameter(1) "
        "u = f32[3] slice(p), slice={[0:3]} "
        "ROOT d = f32[20] dynamic-update-slice(p, u, i)",
    ),
    "an update with nothing": (
        "in_place_dynamic_update_slice",
        "p = f32[20] parameter(0) u = f32[0] parameter(1) "
        "i = s32[] parameter(2) ROOT d = f32[20] dynamic-update-slice(p, u, i)",
    ),
    "an update of a scalar": (
        "in_place_dynamic_update_slice",
        "p = f32[] parameter(0) u = f32[] parameter(1) ROOT d = f32[] dynamic-update-slice(p, u)",
    ),
    "scatter": (
        "scatter",
        "p = f32[30,8] parameter(0) i = s32[50,1] parameter(1) u = f32[50,2,8] parameter(2) "
        "ROOT s = f32[30,8] scatter(p, i, u), update_window_dims={1,2}, inserted_window_dims={}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
    ),
    "scatter of halves": (
        "scatter",
        "p = f16[30,8] parameter(0) i = s8[5,2] parameter(1) u = f16[5] parameter(2) "
        "ROOT s = f16[30,8] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0,1}, "
        "scatter_dims_to_operand_dims={1,0}, index_vector_dim=1, to_apply=add16",
    ),
    "scatter to other places": (
        "scatter",
        "p = u16[90] parameter(0) i = u64[40] parameter(1) u = u16[40] parameter(2) "
        "ROOT s = u16[90] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, "
        "to_apply=second",
    ),
    "scatter of two": (
        "scatter",
        "p = f32[30] parameter(0) q = s32[30] parameter(1) i = s32[20] parameter(2) "
        "u = f32[20] parameter(3) v = s32[20] parameter(4) ROOT s = (f32[30], s32[30]) "
        "scatter(p, q, i, u, v), update_window_dims={}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=both",
    ),
    "scatter of nothing": (
        "scatter",
        "p = f32[30] parameter(0) i = s32[0] parameter(1) u = f32[0] parameter(2) "
        "ROOT s = f32[30] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
    ),
}
"""For each fused computation, which is the entry of its module: the emitter it gets, and its instructions."""


def fusion_of(instructions: str) -> FusionOp:
    lines = instructions.replace(" ROOT ", "\n  ROOT ")
    (fusion,) = compiler.select_fusions(parse_hlo(f"HloModule m\n{BODIES}\nENTRY fused {{\n  {lines}\n}}"))
    return fusion


def check(fusion: FusionOp, levels: Sequence[str], seed: int = 0) -> None:
    computation = fusion.callee_function()
    for output in execute_fusion(fusion, emit_fusion(fusion), levels, check=True, seed=seed):
        comparison = output.comparison
        if output.not_compared is not None:  # HLO leaves open how often an initial value takes part; here it does once
            comparison = Reference(computation, inputs_of(computation, seed)).compare(output.index, output.value)
        assert comparison, f"level {output.level}, result {output.index}: {comparison}"


@pytest.mark.parametrize(("emitter", "instructions"), FUSIONS.values(), ids=FUSIONS)
def test_fusions(emitter: str, instructions: str):
    fusion = fusion_of(instructions)
    assert explain(fusion).emitter == emitter
    check(fusion, LEVELS)


ELEMENTS = {"f32": ("add", "0"), "f16": ("add16", "0"), "s8": ("max", "-128"), "s32": ("sum", "0")}


@composite
def reductions(draw: DrawFn) -> str:
    shape = draw(lists(integers(1, 70), min_size=1, max_size=3))
    order = draw(permutations(range(len(shape))))
    dims = sorted(draw(lists(sampled_from(range(len(shape))), min_size=1, unique=True)))
    type = draw(sampled_from(list(ELEMENTS)))
    body, init = ELEMENTS[type]
    kept = [str(size) for d, size in enumerate(shape) if d not in dims]
    layout, sizes = (",".join(map(str, numbers)) for numbers in (order, shape))
    return (
        f"p = {type}[{sizes}]{{{layout}}} parameter(0) z = {type}[] constant({init}) "
        f"ROOT r = {type}[{','.join(kept)}] reduce(p, z), dimensions={{{','.join(map(str, dims))}}}, to_apply={body}"
    )


@given(reductions())
def test_reductions_of_any_shape(instructions: str):
    check(fusion_of(instructions), [EMITTED, LEVELS[-1]])


NARROW = {"bf16": 2, "f16": 2, "u16": 2, "s8": 4, "f8e5m2": 4, "pred": 4}
"""Types of less than four bytes, and how many of them those hold."""


@composite
def transposes(draw: DrawFn) -> str:
    shape = draw(lists(integers(1, 40), min_size=2, max_size=4).filter(lambda sizes: len(sizes) < 4 or min(sizes) < 9))
    type = draw(sampled_from([*NARROW, "f32", "c64", "s64"]))
    if type in NARROW and draw(booleans()):  # a packed transpose, most often
        square = NARROW[type]
        shape[-2:] = [draw(integers(10, 20)) * square, draw(integers(10 * square, 80))]
        layout = target = list(reversed(range(len(shape))))
        permutation = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
        return _transpose(type, shape, permutation, layout, target)
    permutation, layout, target = (draw(permutations(range(len(shape)))) for _ in range(3))
    return _transpose(type, shape, permutation, layout, target)


def _transpose(
    type: str, shape: Sequence[int], permutation: Sequence[int], layout: Sequence[int], target: Sequence[int]
) -> str:
    moved = [shape[d] for d in permutation]

    def text(numbers: Sequence[int]) -> str:
        return ",".join(map(str, numbers))

    return (
        f"p = {type}[{text(shape)}]{{{text(layout)}}} parameter(0) "
        f"ROOT t = {type}[{text(moved)}]{{{text(target)}}} transpose(p), dimensions={{{text(permutation)}}}"
    )


@given(transposes())
def test_transposes_of_any_shape(instructions: str):
    check(fusion_of(instructions), [EMITTED])
