"""Smaller shapes: which dimensions belong together, and that small modules still run."""

import re
from functools import partial
from itertools import pairwise
from math import ceil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import booleans, integers, lists, sampled_from

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense_values
from xshardy.dialects.stablehlo.trip_counts import trip_count
from xshardy.hlo_text import parse_hlo
from xshardy.launch.checked_run import ModuleRuns, planned
from xshardy.launch.cpu_machine import CpuMachine
from xshardy.launch.prepared_program import entry_of
from xshardy.syntax import parse_module
from xshardy.tools.cli import main
from xshardy.tools.shrinking.atoms import Atom, Division, equate, freeze, resolved, tie
from xshardy.tools.shrinking.divisions import Padding, keeps_slice, keeps_sum
from xshardy.tools.shrinking.shrink import shrink
from xshardy.transforms.hlo.inline_regions import InlineRegionsPass
from xshardy.transforms.hlo.to_opcodes import write_hlo

MODEL = """HloModule model, entry_computation_layout={(f32[32,28,28,16]{3,2,1,0}, f32[24,3,3,16]{3,2,1,0}, s32[32]{0}, f32[4704,96]{1,0})->f32[32,1,96]{2,1,0}}
normalise {
  x = f32[32,14,14,24] parameter(0)
  c = f32[24] constant({1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24})
  b = f32[32,14,14,24] broadcast(c), dimensions={3}
  y = f32[32,14,14,24] multiply(x, b)
  ROOT r = f32[32,4704] bitcast(y)
}
pick {
  table = f32[32,96] parameter(0)
  rows = s32[32] parameter(1)
  index = s32[32,1] bitcast(rows)
  ROOT r = f32[32,1,96] gather(table, index), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,96}
}
ENTRY main {
  x = f32[32,28,28,16] parameter(0)
  w = f32[24,3,3,16] parameter(1)
  rows = s32[32] parameter(2)
  v = f32[4704,96] parameter(3)
  conv = (f32[32,14,14,24], u8[4096]) custom-call(x, w), window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=b01f_o01i->b01f, custom_call_target="__cudnn$convForward", backend_config={"cudnn_conv_backend_config":{"activation_mode":"kNone","conv_result_scale":1,"side_input_scale":0}}
  y = f32[32,14,14,24] get-tuple-element(conv), index=0
  z = f32[32,4704] fusion(y), kind=kLoop, calls=normalise
  gemm = (f32[32,96], s8[4096]) custom-call(z, v), custom_call_target="__cublas$gemm", backend_config={"gemm_backend_config":{"alpha_real":1,"beta":0,"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]},"alpha_imag":0}}
  product = f32[32,96] get-tuple-element(gemm), index=0
  ROOT r = f32[32,1,96] fusion(product, rows), kind=kLoop, calls=pick
}
"""  # noqa: E501


def test_dimensions_shrink_together():
    """The image by 7, from 28 and 14; features of a constant stay at 24; rows of a table may be fewer than indices."""
    small = shrink(parse_hlo(MODEL))
    shapes = [str(argument.type) for argument in entry_of(small).args]
    assert shapes == ["tensor<4x4x4x4xf32>", "tensor<24x3x3x4xf32>", "tensor<4xi32>", "tensor<96x4xf32>"]
    (conv, gemm) = (op for op in entry_of(small).walk() if isinstance(op, stablehlo.CustomCallOp))
    assert str(conv.results[0].type) == "tuple<tensor<4x2x2x24xf32>, tensor<4xui8>>"
    assert str(gemm.results[0].type) == "tuple<tensor<4x4xf32>, tensor<4xi8>>"


def test_a_small_module_runs():
    module = parse_hlo(write_hlo(shrink(parse_hlo(MODEL))))
    runs = ModuleRuns(module, planned(module, "sm_90"))
    results = runs.run([CpuMachine("xla_gpu", "sm_90")], checks=True)
    assert all(runs.compare(index, results) for index in range(len(results[0])))


def test_the_least_size():
    shapes = [str(argument.type) for argument in entry_of(shrink(parse_hlo(MODEL), 10)).args]
    assert shapes[0] == "tensor<11x14x14x16xf32>"


def test_a_constant_without_elements_stays():
    text = "HloModule m\n\nENTRY %e {\n  ROOT %c = f32[0]{0} constant({})\n}\n"
    assert write_hlo(shrink(parse_hlo(text), 4)) == text


APPLIED = """add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ge {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = pred[] compare(a, b), direction=GE
}
minus {
  a = f32[] parameter(0)
  ROOT s = f32[] negate(a)
}
rows {
  a = c64[64,16] parameter(0)
  ROOT s = c64[64,16] fft(a), fft_type=FFT, fft_length={16}
}
"""

ONE_OPERATION: dict[str, tuple[list[str], str, str]] = {
    "all-gather": (["f32[16,64]"], "f32[32,64] all-gather(p0), replica_groups={{0,1}}, dimensions={0}", "f32[32,4]"),
    "reduce-scatter": (
        ["f32[16,64]"],
        "f32[8,64] reduce-scatter(p0), replica_groups={{0,1}}, dimensions={0}, to_apply=add",
        "f32[8,4]",
    ),
    "all-to-all": (["f32[16,64]"], "f32[16,64] all-to-all(p0), replica_groups={{0,1}}, dimensions={0}", "f32[16,4]"),
    "groups": (
        ["f32[8,9,9,8]", "f32[3,3,4,6]"],
        "f32[8,9,9,6] convolution(p0, p1), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
        "feature_group_count=2",
        "f32[4,5,5,6]",
    ),
    "dilation": (
        ["f32[8,64,16]", "f32[3,16,16]"],
        "f32[8,32,16] convolution(p0, p1), window={size=3 rhs_dilate=16}, dim_labels=b0f_0io->b0f",
        "f32[4,32,4]",
    ),
    "transform": (["c64[8,16]"], "c64[8,16] fft(p0), fft_type=FFT, fft_length={16}", "c64[4,16]"),
    "scatter": (
        ["f32[16,8,16]", "s32[12,1]", "f32[12,5,8]"],
        "f32[16,8,16] scatter(p0, p1, p2), update_window_dims={1,2}, inserted_window_dims={2}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
        "f32[4,4,4]",
    ),
    "gradient of a filter": (
        ["f32[8,16,16,32]", "f32[8,16,16,64]"],
        "f32[3,3,32,64] convolution(p0, p1), window={size=16x16 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf",
        "f32[3,3,4,4]",
    ),
    "single elements": (
        ["f32[16,8]", "f32[16,1]", "f32[16,1]"],
        "f32[16,10] concatenate(p0, p1, p2), dimensions={1}",
        "f32[4,10]",
    ),
    "padding between": (["f32[8,8]", "f32[]"], "f32[22,8] pad(p0, p1), padding=0_0_2x0_0", "f32[22,4]"),
    "index vectors": (
        ["f32[8,8,8,8,8,8,8,8,16]", "s32[12,8]"],
        "f32[12,16] gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0,1,2,3,4,5,6,7}, "
        "start_index_map={0,1,2,3,4,5,6,7}, index_vector_dim=1, slice_sizes={1,1,1,1,1,1,1,1,16}",
        "f32[4,4]",
    ),
    "without a rule": (["f32[16,8]"], "f32[16,8] map(p0), dimensions={0,1}, to_apply=minus", "f32[16,8]"),
    "unknown product": (["f32[8,8]"], 'f32[8,8] custom-call(p0, p0), custom_call_target="__cublas$gemm"', "f32[8,8]"),
}
"""Types of parameters, an operation of which dimensions keep their sizes, and its shape when the others are least."""


@pytest.mark.parametrize("name", ONE_OPERATION)
def test_dimensions_that_an_operation_divides_stay(name: str):
    types, operation, expected = ONE_OPERATION[name]
    parameters = "".join(f"  p{i} = {type} parameter({i})\n" for i, type in enumerate(types))
    text = f"HloModule m\n{APPLIED}ENTRY main {{\n{parameters}  ROOT r = {operation}\n}}\n"
    (root,) = (line for line in write_hlo(shrink(parse_hlo(text))).splitlines() if "ROOT %r" in line)
    assert f"= {expected}{{" in root


def test_a_dimension_without_padding_is_as_large_before_and_behind():
    """The transform keeps its 16 elements, so that all behind it has them too."""
    text = """HloModule m
    ENTRY main {
      p0 = c64[8,16] parameter(0)
      zero = c64[] parameter(1)
      t = c64[8,16] fft(p0), fft_type=FFT, fft_length={16}
      ROOT r = c64[24,16] pad(t, zero), padding=8_8x0_0
    }"""
    shapes = re.findall(r"%(?:t|r) = c64\[\d+,(\d+)\]", write_hlo(shrink(parse_hlo(text))))
    assert shapes == ["16", "16"]


PARTS = {
    "half": (["f32[128]"], "f32[64] slice(p0), slice={[64:128]}", "f32[2]{0} slice(%p0), slice={[2:4]}"),
    "every other": (["f32[128]"], "f32[64] slice(p0), slice={[0:128:2]}", "f32[2]{0} slice(%p0), slice={[0:3:2]}"),
    "padding": (["f32[96]", "f32[]"], "f32[128] pad(p0, p1), padding=8_24", "f32[4]{0} pad(%p0, %p1), padding=1_0"),
    "gaps": (["f32[14]", "f32[]"], "f32[28] pad(p0, p1), padding=0_1_1", "f32[4]{0} pad(%p0, %p1), padding=0_1_1"),
    "pieces": (
        ["f32[64]", "f32[32]"],
        "f32[96] concatenate(p0, p1), dimensions={0}",
        "f32[5]{0} concatenate(%p0, %p1)",
    ),
    "of two numbers without a common ratio": (
        ["f32[150]"],
        "f32[22] slice(p0), slice={[128:150]}",
        "f32[1]{0} slice(%p0), slice={[4:5]}",
    ),
    "all but the first": (["f32[128]"], "f32[127] slice(p0), slice={[1:128]}", "f32[3]{0} slice(%p0), slice={[1:4]}"),
    "in the middle": (["f32[128]"], "f32[32] slice(p0), slice={[32:64]}", "f32[1]{0} slice(%p0), slice={[1:2]}"),
    "groups": (
        ["f32[8,9,9,16]", "f32[3,3,1,32]"],
        "f32[8,9,9,32] convolution(p0, p1), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
        "feature_group_count=16",
        "f32[4,5,5,4]{3,2,1,0} convolution(%p0, %p1), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
        "feature_group_count=2",
    ),
    "groups of batches": (
        ["f32[8,9,9,16]", "f32[8,9,9,16]"],
        "f32[3,3,1,16] convolution(p0, p1), window={size=9x9 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf, "
        "batch_group_count=16",
        "f32[3,3,1,4]{3,2,1,0} convolution(%p0, %p1), window={size=5x5 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf, "
        "batch_group_count=4",
    ),
    "patches": (
        ["f32[8,224,16]", "f32[16,16,32]"],
        "f32[8,14,32] convolution(p0, p1), window={size=16 stride=16}, dim_labels=b0f_0io->b0f",
        "f32[4,1,4]{2,1,0} convolution(%p0, %p1), window={size=16 stride=16}",
    ),
    "gradient of a filter for patches": (
        ["f32[8,224,16]", "f32[8,14,32]"],
        "f32[16,16,32] convolution(p0, p1), window={size=14 rhs_dilate=16}, dim_labels=f0b_i0o->0bf",
        "f32[16,4,4]{2,1,0} convolution(%p0, %p1), window={size=1 rhs_dilate=16}",
    ),
    "one element": (["f32[128]"], "f32[1] slice(p0), slice={[127:128]}", "f32[1]{0} slice(%p0), slice={[3:4]}"),
    "cut off": (["f32[32]", "f32[]"], "f32[24] pad(p0, p1), padding=0_-8", "f32[3]{0} pad(%p0, %p1), padding=0_-1"),
    "both ends": (["f32[112]", "f32[]"], "f32[114] pad(p0, p1), padding=1_1", "f32[5]{0} pad(%p0, %p1), padding=1_0"),
    "one more": (["f32[128]", "f32[]"], "f32[129] pad(p0, p1), padding=0_1", "f32[5]{0} pad(%p0, %p1), padding=0_1"),
    "gaps of strides": (["f32[8]", "f32[]"], "f32[15] pad(p0, p1), padding=0_0_1", "f32[5]{0} pad(%p0, %p1)"),
    "slices": (
        ["f32[8,16]", "s32[12,1]"],
        "f32[12,8] gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, "
        "start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}",
        "f32[4,2]{1,0} gather(%p0, %p1), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
        "index_vector_dim=1, slice_sizes={1,2}",
    ),
    "of a product": (
        ["f32[8,32]"],
        "f32[128] slice(f32[256] reshape(p0)), slice={[0:128]}",
        "f32[4]{0} slice(%reshape.anon), slice={[0:4]}",
    ),
    "at an index": (
        ["f32[128]", "s32[]"],
        "f32[64] dynamic-slice(p0, p1), dynamic_slice_sizes={64}",
        "f32[2]{0} dynamic-slice(%p0, %p1), dynamic_slice_sizes={2}",
    ),
    "single updates": (
        ["f32[16,16]", "s32[12,1]", "f32[12,1]"],
        "f32[16,16] scatter(p0, p1, p2), update_window_dims={1}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
        "f32[4,4]{1,0} scatter(%p0, %p1, %p2)",
    ),
    "windows": (
        ["f32[16,64]", "f32[]"],
        "f32[16,32] reduce-window(p0, p1), window={size=1x2 stride=1x2}, to_apply=add",
        "f32[4,2]{1,0} reduce-window(%p0, %p1)",
    ),
    "a function beyond the rules of Shardy": (["f32[16,64]"], "f32[16,64] erf(p0)", "f32[4,4]{1,0} erf(%p0)"),
    "bytes": (["f32[64]"], "s8[256] bitcast(p0)", "s8[16]{0} bitcast(%p0)"),
    "branches": (
        ["pred[]", "f32[]"],
        "f32[] conditional(p0, p1, p1), true_computation=minus, false_computation=minus",
        "f32[] conditional(%p0, %p1, %p1)",
    ),
    "large branches": (
        ["s32[]", "c64[64,16]"],
        "c64[64,16] conditional(p0, p1, p1), branch_computations={rows, rows}",
        "c64[4,16]{1,0} conditional(%p0, %p1, %p1)",
    ),
    "selected in windows": (
        ["f32[16,64]", "f32[16,4]", "f32[]"],
        "f32[16,64] select-and-scatter(p0, p1, p2), window={size=1x16 stride=1x16}, select=ge, scatter=add",
        "f32[4,16]{1,0} select-and-scatter(%p0, %p1, %p2)",
    ),
    "annotated result": (
        ["f32[128,24]"],
        'f32[128,24] custom-call(p0), custom_call_target="xla.sdy.FuncResultSharding"',
        "f32[4,4]{1,0} custom-call(%p0)",
    ),
    "annotated": (
        ["f32[128,24]"],
        'f32[128,24] custom-call(p0), custom_call_target="Sharding", sharding={devices=[8,1]<=[8]}',
        "f32[8,4]{1,0} custom-call(%p0)",
    ),
}
"""Types of parameters, an operation on a part of a dimension, and the operation when the whole is least."""


@pytest.mark.parametrize("name", PARTS)
def test_a_part_shrinks_with_its_whole(name: str):
    types, operation, expected = PARTS[name]
    parameters = "".join(f"  p{i} = {type} parameter({i})\n" for i, type in enumerate(types))
    small = write_hlo(
        shrink(parse_hlo(f"HloModule m\n{APPLIED}ENTRY main {{\n{parameters}  ROOT r = {operation}\n}}\n"))
    )
    assert expected in small
    parse_hlo(small)


def test_sharded_dimensions_stay_divisible():
    """By arguments, results and operations; a dimension that does not divide keeps its size."""
    text = """HloModule m
ENTRY main {
  x = f32[64,32,30] parameter(0), sharding={devices=[8,2,4]<=[64]}
  y = f32[64,32,30] negate(x), sharding={devices=[1,16,1,4]<=[64] last_tile_dim_replicate}
  ROOT r = f32[64,32,30] exponential(y)
}
"""
    small = shrink(parse_hlo(text))
    assert [str(argument.type) for argument in entry_of(small).args] == ["tensor<8x16x30xf32>"]


BAD_ANNOTATIONS = {
    "{foo}": "is no sharding",
    "{{replicated},{replicated}}": "has 2 shardings for 1 values",
    "{devices=[2,2]<=[4]}": "has 2 dimensions, and its value has 1",
}
"""Annotations of a tensor of one dimension, and what is said of them."""


@pytest.mark.parametrize("annotation", BAD_ANNOTATIONS)
def test_an_annotation_that_does_not_fit_is_one_diagnostic(
    annotation: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "model.hlo"
    parameter = f"x = f32[8] parameter(0), sharding={annotation}"
    path.write_text(f"HloModule m\n\nENTRY main {{\n  {parameter}\n  ROOT r = f32[8] negate(x)\n}}\n")
    assert main(["shrink", str(path)]) == 1
    error = capsys.readouterr().err
    assert BAD_ANNOTATIONS[annotation] in error and "internal error" not in error


@given(integers(1, 40), integers(1, 6), integers(1, 40))
def test_what_is_left(size: int, ratio: int, more: int):
    """Multiples are divided exactly; of more there is not less; of something, something is left."""
    for division in (Division(ratio, True), Division(ratio, False)):
        assert division.of(size * ratio) == size
        assert 1 <= division.of(size) <= division.of(size + more)
        assert division.of(0) == 0


@given(integers(0, 12), integers(1, 12), integers(1, 3), integers(0, 5), integers(2, 6), booleans())
def test_slices_of_what_is_left(start: int, part: int, stride: int, behind: int, ratio: int, rounds_up: bool):
    """A part fits if that many elements, with the stride, fit into what is left of the whole, which is not all."""
    size, division = start + (part - 1) * stride + 1 + behind, Division(ratio, rounds_up)
    fits = len(range(0, division.of(size), stride)) >= division.of(part)
    assert keeps_slice(size, part, stride, division) == (fits and division.of(part) < division.of(size))


@given(integers(1, 24), integers(-2, 6), integers(-2, 6), integers(0, 2), integers(2, 4), booleans())
def test_paddings_of_what_is_left(size: int, low: int, high: int, interior: int, ratio: int, rounds_up: bool):
    """What is found makes what is left of the result, pads the same ends, and has the gaps between elements."""
    padding, division = Padding(low, high, interior), Division(ratio, rounds_up)
    new = padding.divided(size, division)
    if new is None:
        return
    assert new.padded(division.of(size)) == division.of(padding.padded(size))
    assert new.interior == interior
    assert np.sign(low) == np.sign(new.low)
    assert np.sign(high) == np.sign(new.high) or (new.high == 0 and low != 0)


@given(lists(integers(1, 40), min_size=2, max_size=4), integers(2, 6))
def test_sums_of_what_is_left(sizes: list[int], ratio: int):
    fits = sum(ceil(size / ratio) for size in sizes) == ceil(sum(sizes) / ratio)
    assert keeps_sum(sizes, Division(ratio)) == fits
    assert keeps_sum([size * ratio for size in sizes], Division(ratio, rounds_up=False))


def test_what_is_in_flight_shrinks():
    small = write_hlo(
        shrink(
            parse_hlo("""HloModule m
ENTRY main {
  x = f32[64,32] parameter(0)
  permute-start = (f32[64,32], f32[64,32]) collective-permute-start(x), source_target_pairs={{0,1}}
  permute-done = f32[64,32] collective-permute-done(permute-start)
  slice-start = ((f32[64,32]), f32[64,16], s32[]) slice-start(permute-done), slice={[0:64], [0:16]}
  slice-update = ((f32[64,32]), f32[64,16], s32[]) slice-update(slice-start)
  ROOT slice-done = f32[64,16] slice-done(slice-update)
}
""")
        )
    )
    assert "(f32[4,4]{1,0}, f32[4,4]{1,0}) collective-permute-start(%x)" in small
    assert "((f32[4,4]{1,0}), f32[4,2]{1,0}, s32[]) slice-update(" in small


def test_the_command(tmp_path: Path):
    (tmp_path / "model.hlo").write_text(MODEL)
    assert main(["shrink", str(tmp_path / "model.hlo"), "-o", str(tmp_path / "small.hlo")]) == 0
    text = (tmp_path / "small.hlo").read_text()
    assert re.search(r"f32\[4,4,4,4\]\S* parameter\(0\)", text) and "entry_computation_layout" not in text


@given(lists(sampled_from([1, 2, 3, 4, 6]), max_size=4), lists(integers(0, 4), max_size=3))
def test_equal_products_stay_equal(sizes: list[int], cuts: list[int]):
    """A shape and its reshape have the same atoms, whatever is split."""
    atoms = [Atom(size) for size in sizes]
    bounds = sorted({0, len(sizes), *(min(cut, len(sizes)) for cut in cuts)})
    parts = [sizes[a:b] for a, b in pairwise(bounds)]
    grouped = [Atom(_product(part)) for part in parts]
    equate(atoms, grouped)
    assert resolved(atoms) == resolved(grouped)
    assert _product([atom.size for atom in resolved(atoms)]) == _product(sizes)


def _product(sizes: list[int]) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result


def test_products_are_split_to_match():
    one, two = [Atom(4), Atom(6)], [Atom(8), Atom(3)]
    equate(one, two)
    assert resolved(one) == resolved(two) and [atom.size for atom in resolved(one)] == [4, 2, 3]


def test_products_that_do_not_match_stay():
    one, two = [Atom(4), Atom(9)], [Atom(6), Atom(6)]
    equate(one, two)
    assert all(ratio(atom, 1) == 1 for atom in resolved([*one, *two]))


def ratio(atom: Atom, least: int) -> int:
    return atom.group.found().division(least).ratio


def test_ties():
    """Sizes of one ratio: 28 and 14 by 28, by 7 under a condition, and not at all with a third that is frozen."""
    a, b, c = Atom(28), Atom(14), Atom(14)
    tie([a], [b], lambda division: True)
    assert ratio(a, 1) == 28
    tie([a], [b], lambda division: division.ratio % 2 == 1 and division.ratio < 9)
    assert a.group.found() is b.group.found() and ratio(a, 1) == 7 and ratio(a, 8) == 3
    freeze([c])
    equate([b], [c])
    assert ratio(a, 1) == 1


def test_one_atom_of_a_tied_product_shrinks():
    """The minor one, but not a small one; by a ratio that divides it, or rounding would differ from that of a whole."""
    a, b, c = Atom(3), Atom(12), Atom(24)
    tie([a, b], [c], lambda division: 24 % division.ratio == 0)
    assert ratio(a, 1) == 1 and b.group.found() is c.group.found()
    assert ratio(b, 1) == 12 and ratio(b, 3) == 6 and ratio(b, 4) == 6
    heads, pair, rolled = Atom(64), Atom(2), Atom(127)
    tie([heads, pair], [rolled], partial(keeps_sum, [127, 1]))
    assert ratio(pair, 1) == 1 and heads.group.found().division(4) == Division(16, rounds_up=False)


LOOP = """HloModule m
condition {{
  p = (s32[], f32[{trips},16]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant({limit})
  ROOT r = pred[] compare(i, n), direction={direction}
}}
body {{
  p = (s32[], f32[{trips},16]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[{trips},16] get-tuple-element(p), index=1
  zero = s32[] constant(0)
  row = f32[1,16] dynamic-slice(x, i, zero), dynamic_slice_sizes={{1,16}}
  new = f32[{trips},16] dynamic-update-slice(x, f32[1,16] negate(row), i, zero)
  step = s32[] constant({step})
  ROOT r = (s32[], f32[{trips},16]) tuple(s32[] add(i, step), new)
}}
ENTRY main {{
  first = s32[] constant({first})
  x = f32[{trips},16] parameter(0)
  loop = (s32[], f32[{trips},16]) while((s32[], f32[{trips},16]) tuple(first, x)), condition=condition, body=body,
    backend_config={{"known_trip_count":{{"n":"{trips}"}}}}
  ROOT r = f32[{trips},16] get-tuple-element(loop), index=1
}}
"""


@pytest.mark.parametrize(
    "first, limit, direction, step, trips, fewer",
    [
        (0, 32, "LT", 1, 32, 4),
        (0, 26, "LT", 1, 26, 5),
        (0, 31, "LE", 1, 32, 4),
        (31, 0, "GE", -1, 32, 4),
        (32, 0, "GT", -2, 16, 4),
        (0, 7, "LT", 1, 7, 7),
    ],
)
def test_a_loop_that_counts_has_fewer_iterations(
    first: int, limit: int, direction: str, step: int, trips: int, fewer: int
):
    """As many as the dimension that it walks has elements."""
    text = LOOP.format(first=first, limit=limit, direction=direction, step=step, trips=trips).replace(",\n    ", ", ")
    small = shrink(parse_hlo(text))
    (loop,) = (op for op in small.walk() if isinstance(op, stablehlo.WhileOp))
    assert trip_count(loop) == fewer
    assert str(entry_of(small).args[0].type) == f"tensor<{fewer}x4xf32>"
    assert ("known_trip_count" in write_hlo(small)) == (fewer == trips)
    again = parse_hlo(write_hlo(small))
    InlineRegionsPass().rewrite_module(again)
    (loop,) = (op for op in again.walk() if isinstance(op, stablehlo.WhileOp))
    assert trip_count(loop) == fewer


def test_a_constant_of_equal_elements_shrinks_to_as_many_as_its_type_has():
    text = "HloModule m\n\nENTRY e {\n  p = f32[32,16] parameter(0)\n  ROOT a = f32[32,16] add(p, p)\n}\n"
    module = parse_hlo(text)
    body = entry_of(module).body.block
    twos = stablehlo.ConstantOp(dense_values(body.args[0].type, [2.0]))
    first = body.first_op
    assert first is not None
    body.insert_op_before(twos, first)
    first.operands[1] = twos.output
    small = shrink(module)
    (constant,) = (op for op in small.walk() if isinstance(op, stablehlo.ConstantOp))
    assert str(constant.output.type) == "tensor<4x4xf32>" and [*constant.value.get_values()] == [2.0] * 16


def shapes_of(text: str) -> list[str]:
    """The types of the parameters of a module when its dimensions are least."""
    return [str(argument.type).removeprefix("tensor<")[:-1] for argument in entry_of(shrink(parse_hlo(text))).args]


CONVOLUTION = """HloModule m
ENTRY main {{
{parameters}  call = ({result}, u8[0]) custom-call({operands}), window={window}, dim_labels=b01f_o01i->b01f, custom_call_target="{target}", backend_config={{"cudnn_conv_backend_config":{{"activation_mode":"kNone","conv_result_scale":1,"side_input_scale":1}}}}
  ROOT r = {result} get-tuple-element(call), index=0
}}
"""  # noqa: E501
"""A call of cuDNN."""


def call_of_cudnn(target: str, window: str, types: list[str], result: str) -> str:
    parameters = "".join(f"  p{i} = {type} parameter({i})\n" for i, type in enumerate(types))
    operands = ", ".join(f"p{i}" for i in range(len(types)))
    return CONVOLUTION.format(parameters=parameters, operands=operands, result=result, window=window, target=target)


def test_a_filter_larger_than_the_result_keeps_its_size():
    """The text of the call has the size of the filter, so that the image stays too; batches and features shrink."""
    types = ["f32[16,8,8,16]", "f32[32,8,8,16]"]
    text = call_of_cudnn("__cudnn$convForward", "{size=8x8 pad=2_1x2_1}", types, "f32[16,4,4,32]")
    assert shapes_of(text) == ["4x8x8x4xf32", "4x8x8x4xf32"]


def test_the_filter_of_an_input_gradient_moves_over_the_result():
    types = ["f32[16,8,8,32]", "f32[32,2,2,16]"]
    text = call_of_cudnn("__cudnn$convBackwardInput", "{size=2x2 stride=2x2}", types, "f32[16,16,16,16]")
    assert shapes_of(text) == ["4x2x2x4xf32", "4x2x2x4xf32"]


def test_bias_and_side_input_of_a_convolution_have_the_dimensions_of_the_result():
    types = ["f32[16,8,8,16]", "f32[32,3,3,16]", "f32[32]", "f32[16,8,8,32]"]
    target = "__cudnn$convBiasActivationForward"
    text = call_of_cudnn(target, "{size=3x3 pad=1_1x1_1}", types, "f32[16,8,8,32]")
    text = text.replace("parameter(3)", "parameter(3), sharding={devices=[8,1,1,1]<=[8]}")
    assert shapes_of(text) == ["8x4x4x4xf32", "4x3x3x4xf32", "4xf32", "8x4x4x4xf32"]


def test_a_filter_of_one_element_moves_over_a_product():
    text = """HloModule m
ENTRY main {
  x = f32[16,8,8,32] parameter(0)
  w = f32[1,32,16] parameter(1)
  flat = f32[16,64,32] reshape(x)
  ROOT r = f32[16,64,16] convolution(flat, w), window={size=1}, dim_labels=b0f_0io->b0f
}
"""
    assert shapes_of(text) == ["4x4x4x4xf32", "1x4x4xf32"]


def test_windows_of_one_element_move_over_a_product():
    text = """HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[8,8,16] parameter(0)
  z = f32[] constant(0)
  flat = f32[64,16] reshape(x)
  ROOT r = f32[64,8] reduce-window(flat, z), window={size=1x2 stride=1x2}, to_apply=add
}
"""
    assert shapes_of(text) == ["4x4x4xf32"]


def test_windows_move_over_several_tensors_of_one_size():
    text = """HloModule m
sums {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  s = f32[] add(a, c)
  t = f32[] add(b, d)
  ROOT r = (f32[], f32[]) tuple(s, t)
}
ENTRY main {
  x = f32[16] parameter(0)
  y = f32[16] parameter(1)
  z = f32[] constant(0)
  ROOT r = (f32[8], f32[8]) reduce-window(x, y, z, z), window={size=2 stride=2}, to_apply=sums
}
"""
    assert shapes_of(text) == ["4xf32", "4xf32"]


def test_several_tensors_that_are_updated_at_once_shrink():
    text = """HloModule m
second {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  ROOT r = (f32[], f32[]) tuple(c, d)
}
ENTRY main {
  x = f32[16,16] parameter(0)
  y = f32[16,16] parameter(1)
  i = s32[12,1] parameter(2)
  u = f32[12,16] parameter(3)
  ROOT r = (f32[16,16], f32[16,16]) scatter(x, y, i, u, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second
}
"""  # noqa: E501
    assert shapes_of(text) == ["4x4xf32", "4x4xf32", "4x1xi32", "4x4xf32"]


def test_a_slice_of_whole_rows_is_of_a_product():
    text = """HloModule m
ENTRY main {
  x = f32[8,8,16] parameter(0)
  flat = f32[64,16] reshape(x)
  ROOT r = f32[64,8] slice(flat), slice={[0:64], [0:8]}
}
"""
    assert shapes_of(text) == ["4x4x4xf32"]


def test_elements_of_a_tuple_keep_their_sizes_with_it():
    """A call of an unknown function takes a tuple."""
    text = """HloModule m
ENTRY main {
  x = f32[16,8] parameter(0)
  y = f32[12] parameter(1)
  z = f32[12] parameter(2)
  t = (f32[16,8], f32[12]) tuple(x, y)
  f = f32[8] custom-call(t), custom_call_target="f"
  n = f32[12] negate(z)
  ROOT r = (f32[8], f32[12]) tuple(f, n)
}
"""
    assert shapes_of(text) == ["16x8xf32", "12xf32", "4xf32"]


def test_what_is_started_keeps_the_sizes_of_its_operands():
    """A constant of different elements stays."""
    text = """HloModule m
ENTRY main {
  c = f32[8] constant({1, 2, 3, 4, 5, 6, 7, 8})
  x = f32[8] parameter(0)
  start = (f32[8], f32[8]) collective-permute-start(c), source_target_pairs={{0,1}}
  done = f32[8] collective-permute-done(start)
  ROOT r = f32[8] negate(x)
}
"""
    assert shapes_of(text) == ["4xf32"]


ANNOTATED_ONES = """HloModule m
ENTRY main {
  x = f32[1,64,12] parameter(0), sharding={devices=[2,16,1]<=[32]}
  y = f32[64] parameter(1), sharding={replicated}
  ROOT r = f32[1,64,12] negate(x)
}
"""


def test_annotations_of_dimensions_of_one_element_and_of_one_part():
    assert shapes_of(ANNOTATED_ONES) == ["1x16x4xf32", "4xf32"]


def test_the_annotation_of_a_tuple_says_nothing_of_dimensions():
    text = """HloModule m
ENTRY main {
  x = f32[64] parameter(0)
  f = (f32[32], f32[16]) custom-call(), custom_call_target="f", sharding={{devices=[8]<=[8]}, {replicated}}
  ROOT r = f32[64] negate(x)
}
"""
    assert shapes_of(text) == ["4xf32"]


def test_annotated_results_stay_divisible():
    module = parse_module("""
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32> {mhlo.sharding = "{devices=[16]<=[16]}"}) {
  %0 = stablehlo.negate %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}
""")
    assert [str(argument.type) for argument in entry_of(shrink(module)).args] == ["tensor<16xf32>"]


def test_dimensions_that_are_equal_through_many_operations():
    """As many as a model has layers: none is reached by a recursion."""
    atoms = [Atom(8) for _ in range(5000)]
    for later, before in pairwise(atoms):
        equate([before], [later])
    assert resolved([atoms[0]]) == resolved([atoms[-1]])
