"""Scatters of every form and element type: which emitter they get, and what their kernels compute, at every level."""

from collections.abc import Sequence
from math import prod

import pytest
from hypothesis import given
from hypothesis.strategies import DrawFn, booleans, composite, integers, lists, permutations, sampled_from
from xdsl.dialects.builtin import ModuleOp

from xshardy import compiler
from xshardy.dialects.hlo import FusionOp
from xshardy.emitters import ENTRY_NAME, emit_fusion, explain
from xshardy.emitters.heroes import choose_emitter
from xshardy.emitters.index_width import narrow_indices
from xshardy.emitters.preparation import prepare
from xshardy.gpus.devices import Device
from xshardy.hlo_text import parse_hlo
from xshardy.lowering.code_generators import compile_module
from xshardy.tools.execution import execute_fusion
from xshardy.transforms.xla_gpu.codegen_pipeline import EMITTED, LEVELS


def body(type: str, operation: str) -> str:
    """A computation that combines two elements."""
    return f"combine {{ a = {type}[] parameter(0)  b = {type}[] parameter(1)  ROOT r = {type}[] {operation} }}"


ADD, SCALARS = (
    body("f32", "add(a, b)"),
    ("update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1"),
)
PAIR = (
    "combine { a = f32[] parameter(0) b = s32[] parameter(1) c = f32[] parameter(2) d = s32[] parameter(3) "
    "x = f32[] maximum(a, c) y = s32[] minimum(b, d) ROOT r = (f32[], s32[]) tuple(x, y) }"
)
SORTED = "indices_are_sorted=true, to_apply=combine"

FUSIONS = {
    "runs of rows": (
        "scatter",
        "groups of 32 threads take 4 of them",
        ADD,
        "p = f32[100] parameter(0) i = s32[2008,1] parameter(1) u = f32[2008,32] parameter(2) ROOT s = f32[100] "
        "scatter(p, i, u), update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, "
        f"index_vector_dim=1, {SORTED}",
    ),
    "runs of short rows": (
        "scatter",
        "groups of 8 threads take 4 of them",
        body("s32", "multiply(a, b)"),
        "p = s32[20,10] parameter(0) i = s64[6001] parameter(1) u = s32[6001,10] parameter(2) ROOT s = s32[20,10] "
        "scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
        f"index_vector_dim=1, {SORTED}",
    ),
    "runs of rows longer than a warp": (
        "scatter",
        "groups of 64 threads take 8 of them",
        body("bf16", "maximum(a, b)"),
        "p = bf16[30,1000] parameter(0) i = s32[1101] parameter(1) u = bf16[1101,1000] parameter(2) ROOT s = "
        "bf16[30,1000] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0}, "
        f"scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, {SORTED}",
    ),
    "runs of halves": (
        "scatter",
        "groups of 32 threads take 3 of them",
        body("f16", "add(a, b)"),
        "p = f16[30,256] parameter(0) i = s32[1101] parameter(1) u = f16[1101,256] parameter(2) ROOT s = f16[30,256] "
        "scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
        f"index_vector_dim=1, {SORTED}",
    ),
    "runs of index vectors": (
        "scatter",
        "groups of 32 threads take 2 of them",
        body("u8", "xor(a, b)"),
        "p = u8[9,5,33] parameter(0) i = u16[2,20,28] parameter(1) u = u8[20,33,28] parameter(2) ROOT s = u8[9,5,33] "
        "scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={1,0}, "
        f"index_vector_dim=0, {SORTED}",
    ),
    "what is not associative": (
        "scatter",
        "updates of one element are atomic",
        body("s32", "subtract(a, b)"),
        f"p = s32[3000] parameter(0) i = s32[40000] parameter(1) u = s32[40000] parameter(2) ROOT s = s32[3000] "
        f"scatter(p, i, u), {SCALARS}, {SORTED}",
    ),
    "seen through bitcasts": (
        "scatter",
        "updates of one element are atomic",
        ADD,
        "p = f32[5,6] parameter(0) b = f32[30] bitcast(p) i = s32[20] parameter(1) u = f32[20] parameter(2) "
        f"s = f32[30] scatter(b, i, u), {SCALARS}, to_apply=combine ROOT r = f32[6,5] bitcast(s)",
    ),
    "batches": (
        "scatter",
        "updates of one element are atomic",
        ADD,
        "p = f32[4,30,32] parameter(0) i = s32[4,300,1] parameter(1) u = f32[4,300,32] parameter(2) "
        "ROOT s = f32[4,30,32] scatter(p, i, u), update_window_dims={2}, inserted_window_dims={1}, "
        "scatter_dims_to_operand_dims={1}, "
        f"input_batching_dims={{0}}, scatter_indices_batching_dims={{0}}, index_vector_dim=2, {SORTED}",
    ),
    "indices too wide for an index": (
        "scatter",
        "updates of one element are atomic",
        ADD,
        "p = f32[30] parameter(0) i = s64[3] constant({4294967297, -4294967290, 3}) u = f32[3] parameter(1) "
        f"ROOT s = f32[30] scatter(p, i, u), {SCALARS}, to_apply=combine",
    ),
    "indices concatenated from an iota and a parameter": (
        "scatter",
        "updates of one element are atomic",
        body("s32", "maximum(a, b)"),
        "p = s32[6,80] parameter(0) n = s32[6,8,1] iota(), iota_dimension=0 i = s32[6,8,1] parameter(1) "
        "c = s32[6,8,2] concatenate(n, i), dimensions={2} b = s32[48,2] bitcast(c) u = s32[48] parameter(2) "
        "ROOT s = s32[6,80] scatter(p, b, u), update_window_dims={}, inserted_window_dims={0,1}, "
        "scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=combine",
    ),
    "distinct indices sliced from a parameter": (
        "scatter",
        "the indices differ",
        body("f32", "copy(b)"),
        "p = f32[30] parameter(0) i = s32[25] parameter(1) c = s32[20] slice(i), slice={[5:25]} "
        f"u = f32[20] parameter(2) ROOT s = f32[30] scatter(p, c, u), {SCALARS}, unique_indices=true, to_apply=combine",
    ),
    "sorted indices broadcast from fewer": (
        "scatter",
        "updates of one element are atomic",
        ADD,
        "p = f32[30] parameter(0) i = s32[10] parameter(1) c = s32[10,2] broadcast(i), dimensions={0} "
        "b = s32[20] bitcast(c) u = f32[20] parameter(2) "
        f"ROOT s = f32[30] scatter(p, b, u), {SCALARS}, {SORTED}",
    ),
    "an operand that is computed": (
        "loop",
        "an operand is not a parameter",
        ADD,
        "p = f32[4,9,8] parameter(0) i = s32[4,5,1] parameter(1) u = f32[4,5,3] parameter(2) n = f32[4,9,8] negate(p) "
        "ROOT s = f32[4,9,8] scatter(n, i, u), update_window_dims={2}, inserted_window_dims={1}, "
        "scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, "
        "index_vector_dim=2, to_apply=combine",
    ),
    "an operand that is read elsewhere": (
        "loop",
        "read for something else as well",
        ADD,
        "p = f32[30] parameter(0) i = s32[20] parameter(1) u = f32[20] slice(p), slice={[5:25]} "
        f"ROOT s = f32[30] scatter(p, i, u), {SCALARS}, to_apply=combine",
    ),
    "two operands": (
        "loop",
        "no atomic operation updates elements of 2 tensors together",
        PAIR,
        "p = f32[30] parameter(0) q = s32[30] parameter(1) i = s32[20] parameter(2) u = f32[20] parameter(3) "
        "v = s32[20] parameter(4) ROOT s = (f32[30], s32[30]) "
        f"scatter(p, q, i, u, v), {SCALARS}, to_apply=combine",
    ),
    "elements of 128 bits": (
        "loop",
        "no atomic operation updates the 128 bits of an element",
        body("c128", "add(a, b)"),
        "p = c128[30] parameter(0) i = s32[20] parameter(1) u = c128[20] parameter(2) "
        f"ROOT s = c128[30] scatter(p, i, u), {SCALARS}, to_apply=combine",
    ),
    "between other operations": (
        "loop",
        "no result has a hero",
        ADD,
        "p = f32[30] parameter(0) i = s32[20] parameter(1) u = f32[20] parameter(2) j = s32[20] add(i, i) "
        f"n = f32[20] negate(u) s = f32[30] scatter(p, j, n), {SCALARS}, to_apply=combine "
        "ROOT r = f32[30] multiply(s, s)",
    ),
    "no updates": (
        "loop",
        "an operand is not a parameter",
        ADD,
        "p = f32[30] parameter(0) i = s32[0] parameter(1) u = f32[0] parameter(2) n = f32[30] negate(p) "
        f"ROOT s = f32[30] scatter(n, i, u), {SCALARS}, to_apply=combine",
    ),
}
"""For each fused computation: the emitter, a part of the reason for it, what combines elements, its instructions."""


def fusion_of(combine: str, instructions: str) -> FusionOp:
    lines = instructions.replace(" ROOT ", "\n  ROOT ")
    (fusion,) = compiler.select_fusions(parse_hlo(f"HloModule m\n{combine}\nENTRY fused {{\n  {lines}\n}}"))
    return fusion


def check(fusion: FusionOp, module: ModuleOp, levels: Sequence[str], seed: int = 0) -> None:
    for output in execute_fusion(fusion, module, levels, check=True, seed=seed):
        assert output.comparison, f"level {output.level}, result {output.index}: {output.comparison}"


@pytest.mark.parametrize(("emitter", "reason", "combine", "instructions"), FUSIONS.values(), ids=FUSIONS)
def test_fusions(emitter: str, reason: str, combine: str, instructions: str):
    fusion = fusion_of(combine, instructions)
    choice = explain(fusion)
    assert choice.emitter == emitter
    assert reason in choice.reason
    check(fusion, emit_fusion(fusion), LEVELS)


def test_runs_of_numbers():
    """On a device with one core: on a larger one, only tens of thousands of updates are shared by threads like this."""
    fusion = fusion_of(
        ADD,
        "p = f32[50] parameter(0) i = s32[510] parameter(1) u = f32[510] parameter(2) ROOT s = f32[50] "
        f"scatter(p, i, u), {SCALARS}, {SORTED}",
    )
    device = Device(cores=1)
    choice = explain(fusion, device)
    assert choice.emitter == "scatter"
    assert "groups of 1 threads take 4 of them" in choice.reason
    check(fusion, emit_fusion(fusion, device), LEVELS)


@pytest.mark.parametrize("count", [6000, 6001, 6003])
def test_the_last_update_of_a_run_counts(count: int):
    """Random indices that are sorted end outside of the operand; these are all inside. Sums of integers are exact."""
    instructions = (
        f"p = s32[20,10] parameter(0) u = s32[{count},10] parameter(1) c = s32[] constant(3) "
        f"i = s32[{count}] broadcast(c), dimensions={{}} "
        "ROOT s = s32[20,10] scatter(p, i, u), update_window_dims={1}, "
        f"inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, {SORTED}"
    )
    fusion = fusion_of(body("s32", "add(a, b)"), instructions)
    assert "groups of 8 threads take" in explain(fusion).reason
    check(fusion, emit_fusion(fusion), LEVELS[:1])


OPERATIONS = {
    **dict.fromkeys(["f64", "s8", "u16", "s32"], ("add", "maximum", "minimum", "multiply")),
    **dict.fromkeys(["f32", "f16", "bf16"], ("add", "maximum", "minimum")),
    **dict.fromkeys(["f8e4m3fn", "s4", "u64", "c64"], ("add",)),
    **dict.fromkeys(["pred", "s16", "u32", "s64", "u8"], ("and", "or", "xor")),
}
"""For each element type: what may combine elements in any order, with no more of a difference than rounding makes."""


@pytest.mark.parametrize(("type", "operation"), [(type, name) for type in OPERATIONS for name in OPERATIONS[type]])
def test_updates_of_any_type(type: str, operation: str):
    fusion = updates_of(type, operation)
    check(fusion, emit_fusion(fusion), LEVELS[-1:])


INSTRUCTIONS = [
    ("pred", "or", "sm_70", "atom.global.or.b32"),
    ("u8", "and", "sm_70", "atom.global.and.b32"),
    ("s64", "xor", "sm_70", "atom.global.xor.b64"),
    ("s8", "add", "sm_90", "cas.b32"),
    ("s32", "add", "sm_70", "atom.global.add.u32"),
    ("s32", "maximum", "sm_70", "atom.global.max.s32"),
    ("f16", "add", "sm_70", "red.global.add.noftz.f16x2"),
    ("bf16", "add", "sm_80", "cas.b32"),
    ("bf16", "add", "sm_90", "red.global.add.noftz.bf16x2"),
    ("f32", "add", "sm_70", "atom.global.add.f32"),
    ("f32", "minimum", "sm_70", "atom.global.max.u32"),
    ("f64", "maximum", "sm_70", "atom.global.max.s64"),
    ("c64", "add", "sm_90", "cas.b64"),
]


@pytest.mark.parametrize(("type", "operation", "target", "instruction"), INSTRUCTIONS)
def test_instructions(type: str, operation: str, target: str, instruction: str):
    ptx = compiled(updates_of(type, operation, 58), target)
    assert instruction in ptx
    assert ("cas" in instruction) == (".cas." in ptx)


@pytest.mark.parametrize(("type", "target"), [("f16", "sm_70"), ("bf16", "sm_90")])
def test_halves_are_added_one_by_one_to_an_odd_number_of_them(type: str, target: str):
    """The word of the last one is not in the buffer."""
    ptx = compiled(updates_of(type, "add", 57), target)
    assert f"add.noftz.{type} " in ptx and "x2" not in ptx


STORED = {"f64": 64, "c64": 64, "f32": 32, "bf16": 16, "s8": 8, "pred": 8}
"""The width of an element of each type in memory, in bits."""


@pytest.mark.parametrize(("type", "width"), STORED.items())
def test_overwriting_is_a_store(type: str, width: int):
    fusion = fusion_of(
        f"combine {{ a = {type}[] parameter(0)  ROOT b = {type}[] parameter(1) }}",
        f"p = {type}[57] parameter(0) i = s32[70] parameter(1) u = {type}[70] parameter(2) "
        f"ROOT s = {type}[57] scatter(p, i, u), {SCALARS}, to_apply=combine",
    )
    ptx = compiled(fusion, "sm_80")
    assert f"st.relaxed.sys.global.b{width}" in ptx
    assert "atom" not in ptx


def updates_of(type: str, operation: str, count: int = 57) -> FusionOp:
    """A scatter of a few numbers into `count` others."""
    scatter = (
        f"p = {type}[{count}] parameter(0) i = s32[70] parameter(1) u = {type}[70] parameter(2) "
        f"ROOT s = {type}[{count}] scatter(p, i, u), {SCALARS}, to_apply=combine"
    )
    return fusion_of(body(type, f"{operation}(a, b)"), scatter)


def compiled(fusion: FusionOp, target: str) -> str:
    """The PTX of a fusion."""
    return compile_module(compiler.lower(emit_fusion(fusion), LEVELS[-1], target=target), target).ptx


DEVICES = (Device(cores=1, threads_per_core=64), Device(cores=3, threads_per_core=256), Device())
"""The smaller a device, the fewer updates are many, for which the work is shared in other ways."""


def text(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


@composite
def scatters(draw: DrawFn) -> tuple[str, str]:
    """What combines elements, and a scatter of slices that extend along some dimensions of a small operand."""
    shape = draw(lists(integers(1, 9), min_size=1, max_size=3))
    dims = range(len(shape))
    started = draw(permutations(dims).flatmap(lambda order: integers(1, len(order)).map(lambda n: order[:n])))
    inserted = [d for d in started if draw(booleans())]
    window = [draw(integers(1, size)) if d in started else size for d, size in enumerate(shape)]
    window = [size for d, size in enumerate(window) if d not in inserted]
    count = draw(sampled_from([500, 100, 30, 7, 2, 0])) // (1 + prod(window) // 64) + 1
    before = draw(integers(0, len(window)))
    updates = [*window[:before], count, *window[before:]]
    windows = [d for d in range(len(updates)) if d != before]
    layout = draw(permutations(range(len(updates))))
    type = draw(sampled_from(sorted(OPERATIONS)))
    operation = draw(sampled_from(OPERATIONS[type]))
    index = draw(sampled_from(["s32", "u32", "s64", "s8", "u16"]))
    is_sorted, is_computed = draw(sampled_from([True, True, False])), draw(sampled_from([False, False, False, True]))
    operand = f"o = {type}[{text(shape)}] copy(p)" if is_computed else ""
    return (
        body(type, f"{operation}(a, b)"),
        f"p = {type}[{text(shape)}] parameter(0) i = {index}[{count},{len(started)}] parameter(1) "
        f"u = {type}[{text(updates)}]{{{text(layout)}}} parameter(2) {operand} "
        f"ROOT s = {type}[{text(shape)}] scatter({'o' if is_computed else 'p'}, i, u), "
        f"update_window_dims={{{text(windows)}}}, inserted_window_dims={{{text(sorted(inserted))}}}, "
        f"scatter_dims_to_operand_dims={{{text(started)}}}, index_vector_dim=1, "
        f"indices_are_sorted={str(is_sorted).lower()}, to_apply=combine",
    )


@given(scatters(), sampled_from(DEVICES), integers(0, 9))
def test_scatters_of_any_form(scatter: tuple[str, str], device: Device, seed: int):
    fusion = fusion_of(*scatter)
    computation = prepare(fusion.callee_function())
    module = choose_emitter(computation, device).emit(ENTRY_NAME).module
    narrow_indices(module, computation)
    check(fusion, module, [EMITTED, LEVELS[-1]], seed)
