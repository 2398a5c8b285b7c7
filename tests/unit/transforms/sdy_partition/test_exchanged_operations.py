# ruff: noqa: E501 - programs have long lines
"""
Operations along sharded dimensions, partitioned with exchanges and run on the simulated mesh: they equal the whole.

Operands and results are sharded alike, so that only exchanges move data. Sizes are odd, and often do not divide.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from proof_pairs import trial_of
from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.ops import ManualComputationOp
from xshardy.interpreters.spmd import evaluate_spmd
from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import Array, numpy_dtype
from xshardy.rewriting.walk import operations_of
from xshardy.syntax import parse_module
from xshardy.transforms.sdy_partition.partitioner_pipeline import PartitionerPipelinePass
from xshardy.universe import new_context

COLLECTIVES = (
    stablehlo.AllGatherOp,
    stablehlo.AllReduceOp,
    stablehlo.AllToAllOp,
    stablehlo.CollectivePermuteOp,
    stablehlo.ReduceScatterOp,
)
EXAMPLES = settings.default.max_examples // 3

MESHES = {
    '<["x"=2]>': ['"x"'],
    '<["x"=3]>': ['"x"'],
    '<["x"=4, "y"=2]>': ['"x"', '"y"', '"x":(2)2', '"x", "y"'],
    '<["x"=2, "y"=2], device_ids=[2, 0, 3, 1]>': ['"y", "x"', '"x"'],
    '<["x"=6]>': ['"x"', '"x":(1)2', '"x":(2)3'],
}
"""Each mesh, and the axes that a dimension can have."""

Draw = st.DrawFn


@dataclass(frozen=True)
class Case:
    """An operation on `%x`, `%y`, ... in generic form without its attributes, and its types."""

    name: str
    properties: str
    operands: Sequence[str]
    """Shapes; the first ones are sharded."""
    result: str
    sharded: int = 1
    """How many operands are sharded as the result is."""
    regions: str = ""


def sizes(draw: Draw, rank: int, low: int = 1) -> list[int]:
    return [draw(st.integers(low, 13)) for _ in range(rank)]


def shape(extents: Sequence[int]) -> str:
    return "x".join(map(str, [*extents, "i32"]))


def array(values: Sequence[int]) -> str:
    return f"array<i64: {', '.join(map(str, values))}>"


def slice_case(draw: Draw) -> Case:
    of = sizes(draw, 2)
    starts = [draw(st.integers(0, extent - 1)) for extent in of]
    limits = [draw(st.integers(start + 1, extent)) for start, extent in zip(starts, of, strict=True)]
    strides = [draw(st.sampled_from([1, 1, 2, 3])) for _ in of]
    result = [-(-(b - a) // c) for a, b, c in zip(starts, limits, strides, strict=True)]
    columns = zip(("start_indices", "limit_indices", "strides"), (starts, limits, strides), strict=True)
    return Case("slice", ", ".join(f"{name} = {array(c)}" for name, c in columns), [shape(of)], shape(result))


def pad_case(draw: Draw) -> Case:
    of, low, high, interior = sizes(draw, 2), *([draw(st.integers(-3, 9)) for _ in range(2)] for _ in range(2)), []
    interior = [draw(st.sampled_from([0, 0, 1, 2])) for _ in of]
    expanded = [n + (n - 1) * gaps for n, gaps in zip(of, interior, strict=True)]
    high = [max(h, 1 - n - a) for h, n, a in zip(high, expanded, low, strict=True)]
    result = [n + a + h for n, a, h in zip(expanded, low, high, strict=True)]
    columns = zip(("low", "high"), (low, high), strict=True)
    properties = ", ".join(f"edge_padding_{name} = {array(c)}" for name, c in columns)
    return Case("pad", f"{properties}, interior_padding = {array(interior)}", [shape(of), "i32"], shape(result))


def reverse_case(draw: Draw) -> Case:
    of = sizes(draw, 2)
    dims = draw(st.sampled_from([[0], [1], [0, 1]]))
    return Case("reverse", f"dimensions = {array(dims)}", [shape(of)], shape(of))


def concatenate_case(draw: Draw) -> Case:
    rows, columns = [draw(st.integers(1, 9)) for _ in range(3)], draw(st.integers(1, 6))
    operands = [shape([row, columns]) for row in rows]
    return Case("concatenate", "dimension = 0 : i64", operands, shape([sum(rows), columns]), sharded=3)


def reduce_window_case(draw: Draw) -> Case:
    of = sizes(draw, 2)
    window = [draw(st.integers(1, 4)) for _ in of]
    strides, base, dilation = ([draw(st.sampled_from([1, 1, 2])) for _ in of] for _ in range(3))
    low, high = ([draw(st.integers(0, 3)) for _ in of] for _ in range(2))
    reach = [(n - 1) * d + 1 for n, d in zip(window, dilation, strict=True)]
    padded = [a + (n - 1) * d + 1 + b for a, n, d, b in zip(low, of, base, high, strict=True)]
    high = [b + max(0, r - n) for b, n, r in zip(high, padded, reach, strict=True)]
    padded = [max(n, r) for n, r in zip(padded, reach, strict=True)]
    result = [(n - r) // s + 1 for n, r, s in zip(padded, reach, strides, strict=True)]
    padding = f"padding = dense<[[{low[0]}, {high[0]}], [{low[1]}, {high[1]}]]> : tensor<2x2xi64>"
    named = {"window_dimensions": window, "window_strides": strides, "base_dilations": base}
    properties = ", ".join(f"{name} = {array(c)}" for name, c in {**named, "window_dilations": dilation}.items())
    body = "({ ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n %m = stablehlo.add %a, %b : tensor<i32>\n"
    body += " stablehlo.return %m : tensor<i32> })"
    return Case("reduce_window", f"{properties}, {padding}", [shape(of), "i32"], shape(result), regions=body)


def convolution_case(draw: Draw) -> Case:
    """Batches x space x features."""
    batch, space, window = draw(st.integers(1, 4)), draw(st.integers(1, 13)), draw(st.integers(1, 4))
    stride, base, dilation = (draw(st.sampled_from([1, 1, 2])) for _ in range(3))
    low, high = (draw(st.integers(0, 3)) for _ in range(2))
    padded, reach = low + (space - 1) * base + 1 + high, (window - 1) * dilation + 1
    high, padded = high + max(0, reach - padded), max(padded, reach)
    result = (padded - reach) // stride + 1
    numbers = "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>"
    named = {"window_strides": [stride], "lhs_dilation": [base], "rhs_dilation": [dilation]}
    properties = ", ".join(f"{name} = {array(c)}" for name, c in named.items())
    padding = f"padding = dense<[[{low}, {high}]]> : tensor<1x2xi64>"
    groups = "feature_group_count = 1 : i64, batch_group_count = 1 : i64"
    return Case(
        "convolution",
        f"{numbers}, {properties}, {padding}, {groups}",
        [shape([batch, space, 3]), shape([window, 3, 2])],
        shape([batch, result, 2]),
    )


def reshape_case(draw: Draw) -> Case:
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 9))
    pairs = [([rows, columns], [rows * columns]), ([rows * columns], [rows, columns]), ([rows, 12], [rows * 3, 4])]
    before, after = draw(st.sampled_from(pairs))
    return Case("reshape", "", [shape(before)], shape(after))


def select_and_scatter_case(draw: Draw) -> Case:
    """Windows of one dimension do not reach beyond the tensor; those of the other may."""
    of = [draw(st.integers(4, 17)), draw(st.integers(2, 6))]
    window = [draw(st.integers(1, 4)), draw(st.integers(1, 2))]
    strides = [draw(st.integers(1, 4)), draw(st.sampled_from([1, 2]))]
    low, high = (draw(st.sampled_from([0, 1])) for _ in range(2))
    padded = [of[0], of[1] + low + high]
    source = [(n - size) // stride + 1 for n, size, stride in zip(padded, window, strides, strict=True)]
    named = {"window_dimensions": window, "window_strides": strides}
    properties = ", ".join(f"{name} = {array(c)}" for name, c in named.items())
    padding = f"padding = dense<[[0, 0], [{low}, {high}]]> : tensor<2x2xi64>"
    chosen = draw(st.sampled_from(["GE", "GT", "LT"]))
    block = "^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
    select = f"{{ {block} %m = stablehlo.compare {chosen}, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    select += " stablehlo.return %m : tensor<i1> }"
    scatter = f"{{ {block} %m = stablehlo.add %a, %b : tensor<i32>\n stablehlo.return %m : tensor<i32> }}"
    operands = [shape(of), shape(source), "i32"]
    regions = f"({select}, {scatter})"
    return Case("select_and_scatter", f"{properties}, {padding}", operands, shape(of), regions=regions)


def dynamic_slice_case(draw: Draw) -> Case:
    """Indices are between -9 and 9, so that some are clamped."""
    of = sizes(draw, 2)
    taken = [draw(st.integers(1, extent)) for extent in of]
    return Case("dynamic_slice", f"slice_sizes = {array(taken)}", [shape(of), "i32", "i32"], shape(taken))


CASES: Sequence[Callable[[Draw], Case]] = (
    slice_case,
    pad_case,
    reverse_case,
    concatenate_case,
    reduce_window_case,
    convolution_case,
    reshape_case,
    select_and_scatter_case,
    dynamic_slice_case,
)


def dims_of(of: str) -> int:
    return of.count("x")


def drawn_sharding(draw: Draw, choices: Sequence[str], case: Case) -> list[str]:
    """The sharding of operands and result; a dimension that both have, or the first one."""
    rank = min(dims_of(case.operands[0]), dims_of(case.result))
    dims = ["{}"] * rank
    place = 1 if case.name == "convolution" else 0 if case.name == "concatenate" else draw(st.integers(0, rank - 1))
    dims[place] = f"{{{draw(st.sampled_from(choices))}}}"
    return dims


def text_of(case: Case, mesh: str, dims: Sequence[str]) -> str:
    """A program whose arguments and results are whole, and whose operation is sharded."""

    def sharding(of: str) -> str:
        missing = ["{}"] * (dims_of(of) - len(dims))
        return f"<@mesh, [{', '.join([*dims, *missing])}]>"

    names = [f"%x{index}" for index in range(len(case.operands))]
    arguments = ", ".join(f"{name}: tensor<{of}>" for name, of in zip(names, case.operands, strict=True))
    lines: list[str] = []
    for index, of in enumerate(case.operands[: case.sharded]):
        marked = f"{{sdy.sharding = #sdy.sharding_per_value<[{sharding(of)}]>}}"
        lines.append(f"%t{index} = sdy.reshard {names[index]} {sharding(of)} : tensor<{of}>")
        lines.append(f"%s{index} = stablehlo.not %t{index} {marked} : tensor<{of}>")  # no padding stays zero
    given_names = [f"%s{index}" if index < case.sharded else names[index] for index in range(len(names))]
    operands, types = ", ".join(given_names), ", ".join(f"tensor<{of}>" for of in case.operands)
    properties = f" <{{{case.properties}}}>" if case.properties else ""
    marked = f"{{sdy.sharding = #sdy.sharding_per_value<[{sharding(case.result)}]>}}"
    regions = f" {case.regions}" if case.regions else ""
    lines.append(
        f'%r = "stablehlo.{case.name}"({operands}){properties}{regions} {marked} : ({types}) -> tensor<{case.result}>'
    )
    whole = ", ".join(["{}"] * dims_of(case.result))
    lines.append(f"%w = sdy.reshard %r <@mesh, [{whole}]> : tensor<{case.result}>")
    body = "\n".join([*lines, f"return %w : tensor<{case.result}>"])
    return f"sdy.mesh @mesh = {mesh}\nfunc.func @main({arguments}) -> tensor<{case.result}> {{\n{body}\n}}"


def whole_text(text: str) -> str:
    module = parse_module(text)
    for op in [*module.walk()]:
        if op.name == "sdy.reshard":
            op.results[0].replace_all_uses_with(op.operands[0])
            op.detach()
    return str(module)


def arguments_of(case: Case) -> list[Array]:
    random = np.random.default_rng(0)
    shapes = ([int(extent) for extent in of.split("x")[:-1]] for of in case.operands)
    return [random.integers(-9, 9, of, endpoint=True).astype(np.int32) for of in shapes]


def partitioned(text: str, pipeline: PartitionerPipelinePass) -> tuple[ModuleOp, bool]:
    """The local program, and whether something was exchanged."""
    module = parse_module(text)
    for step in pipeline.data_movement:
        step.apply(new_context(), module)
    exchanges = any(isinstance(op, ManualComputationOp) for op in module.walk())
    module.verify()
    for step in pipeline.passes[len(pipeline.data_movement) :]:
        step.apply(new_context(), module)
    module.verify()
    return module, exchanges


@pytest.mark.hypothesis
@pytest.mark.parametrize("sampler", CASES, ids=lambda sampler: sampler.__name__.removesuffix("_case"))
@pytest.mark.parametrize("fewest_bytes", [True, False], ids=["elements", "whole parts"])
def test_exchanged(sampler: Callable[[Draw], Case], fewest_bytes: bool):
    """Nothing is refused, results are equal, and with `fewest_bytes` something is exchanged."""
    exchanged = 0
    pipeline = PartitionerPipelinePass(fewest_bytes=fewest_bytes)

    @settings(deadline=None, max_examples=EXAMPLES, suppress_health_check=[*HealthCheck], database=None)
    @given(st.data(), st.sampled_from([*MESHES]))
    def run(data: st.DataObject, mesh: str) -> None:
        nonlocal exchanged
        case = sampler(data.draw)
        text = text_of(case, mesh, drawn_sharding(data.draw, MESHES[mesh], case))
        note(text)
        local, exchanges = partitioned(text, pipeline)
        exchanged += exchanges
        note(str(local))
        arguments = arguments_of(case)
        devices = int(np.prod([int(part.split("=")[1]) for part in mesh[2 : mesh.index("]")].split(", ")]))
        (wanted,) = evaluate(parse_module(whole_text(text)), arguments)
        for (found,) in evaluate_spmd(local, [arguments] * devices):
            np.testing.assert_array_equal(found, wanted)

    run()
    assert exchanged or not fewest_bytes


@pytest.mark.parametrize("element", ["f32", "bf16", "complex<f32>", "i1", "f8E4M3FNUZ"])
def test_sums_of_slices_keep_all_bits(element: str):
    """An all-reduce that adds zeros keeps negative zeros and NaN; also where a dimension has one element."""
    text = f"""
    sdy.mesh @mesh = <["x"=4]>
    func.func @main(%x: tensor<8x3x{element}>, %i: tensor<i32>) -> tensor<1x3x{element}> {{
      %0 = sdy.reshard %x <@mesh, [{{"x"}}, {{}}]> : tensor<8x3x{element}>
      %z = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.dynamic_slice %0, %i, %z, sizes = [1, 3] {{
        sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"x"}}, {{}}]>]>
      }} : (tensor<8x3x{element}>, tensor<i32>, tensor<i32>) -> tensor<1x3x{element}>
      %2 = sdy.reshard %1 <@mesh, [{{}}, {{}}]> : tensor<1x3x{element}>
      return %2 : tensor<1x3x{element}>
    }}"""
    local, exchanges = partitioned(text, PartitionerPipelinePass())
    dtype = numpy_dtype(local.body.block.first_op.function_type.inputs.data[0])
    values = np.array([[-0.0, np.nan, 1.0]] * 8).astype(dtype)
    for (found,) in evaluate_spmd(local, [[values, np.asarray(5, np.int32)]] * 4):
        assert found.tobytes() == values[5:6].tobytes()
    assert exchanges and not any(op.name == "stablehlo.all_gather" for op in local.walk())


@settings(max_examples=10)
@given(st.integers(2, 17), st.data(), st.sampled_from([*MESHES]))
def test_rotations(extent: int, data: st.DataObject, mesh: str):
    """Of `jnp.roll`, two slices and a concatenation; something else may read a slice too."""
    first = data.draw(st.integers(1, extent - 1))
    axes = data.draw(st.sampled_from(MESHES[mesh]))
    marked = f"{{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{{axes}}}, {{}}]>]>}}"
    whole, last, rest = (f"tensor<{n}x2xi32>" for n in (extent, extent - first, first))
    text = f"""
    sdy.mesh @mesh = {mesh}
    func.func @main(%x: {whole}) -> ({whole}, {last}) {{
      %0 = sdy.reshard %x <@mesh, [{{{axes}}}, {{}}]> : {whole}
      %1 = stablehlo.not %0 {marked} : {whole}
      %2 = stablehlo.slice %1 [{first}:{extent}, 0:2] {marked} : ({whole}) -> {last}
      %3 = stablehlo.slice %1 [0:{first}, 0:2] {marked} : ({whole}) -> {rest}
      %4 = stablehlo.concatenate %2, %3, dim = 0 {marked} : ({last}, {rest}) -> {whole}
      %5 = sdy.reshard %4 <@mesh, [{{}}, {{}}]> : {whole}
      %6 = stablehlo.constant dense<0> : {last}
      %7 = sdy.reshard {data.draw(st.sampled_from(["%2", "%6"]))} <@mesh, [{{}}, {{}}]> : {last}
      return %5, %7 : {whole}, {last}
    }}"""
    note(text)
    local, _ = partitioned(text, PartitionerPipelinePass())
    note(str(local))
    values = np.arange(extent * 2, dtype=np.int32).reshape(extent, 2)
    devices = int(np.prod([int(part.split("=")[1]) for part in mesh[2 : mesh.index("]")].split(", ")]))
    for found, last_elements in evaluate_spmd(local, [[values]] * devices):
        np.testing.assert_array_equal(found, ~np.roll(values, -first, 0))
        assert np.array_equal(last_elements, ~values[first:]) or not last_elements.any()


def test_a_rotation_by_less_than_a_part_is_one_permutation():
    text = """
    sdy.mesh @mesh = <["x"=4]>
    func.func @main(%x: tensor<16x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
        -> (tensor<16x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
      %2 = stablehlo.slice %x [3:16, 0:2] : (tensor<16x2xi32>) -> tensor<13x2xi32>
      %3 = stablehlo.slice %x [0:3, 0:2] : (tensor<16x2xi32>) -> tensor<3x2xi32>
      %4 = stablehlo.concatenate %2, %3, dim = 0 {
        sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>
      } : (tensor<13x2xi32>, tensor<3x2xi32>) -> tensor<16x2xi32>
      return %4 : tensor<16x2xi32>
    }"""
    local, _ = partitioned(text, PartitionerPipelinePass())
    moved = [op for op in local.walk() if "collective" in op.name or "all_" in op.name]
    assert [str(op.results[0].type) for op in moved] == ["tensor<3x2xi32>"]


OPERATIONS = {
    "a scatter of differences": (
        '["x"=2]',
        """func.func @main(%x: tensor<8xf32> {S<[{"x"}]>}, %g: tensor<4xf32> {S<[{"x"}]>}) -> (tensor<8xf32> {S<[{"x"}]>}) {
 %z = stablehlo.constant dense<0.0> : tensor<f32>
 
 %1 = "stablehlo.select_and_scatter"(%x, %g, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %2 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %2 : tensor<i1> }, { ^bb0(%a: tensor<f32>, %b: tensor<f32>): %2 = stablehlo.subtract %a, %b : tensor<f32> stablehlo.return %2 : tensor<f32> }) : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
 return %1 : tensor<8xf32> }""",
        {"all_gather": 2},
    ),
    "a scatter that reads a value of the function": (
        '["x"=2]',
        """func.func @main(%x: tensor<8xf32> {S<[{"x"}]>}, %g: tensor<4xf32> {S<[{"x"}]>}, %k: tensor<f32>) -> (tensor<8xf32> {S<[{"x"}]>}) {
 %z = stablehlo.constant dense<0.0> : tensor<f32>
 
 %1 = "stablehlo.select_and_scatter"(%x, %g, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %2 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %2 : tensor<i1> }, { ^bb0(%a: tensor<f32>, %b: tensor<f32>): %3 = stablehlo.multiply %b, %k : tensor<f32> %2 = stablehlo.add %a, %3 : tensor<f32> stablehlo.return %2 : tensor<f32> }) : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
 return %1 : tensor<8xf32> }""",
        {"all_gather": 2},
    ),
    "a selection in windows over several parts": (
        '["x"=4]',
        """func.func @main(%x: tensor<8xf32> {S<[{"x"}]>}, %g: tensor<3xf32> {S<[{"x"}]>}) -> (tensor<8xf32> {S<[{"x"}]>}) {
 %z = stablehlo.constant dense<0.0> : tensor<f32>
 
 %1 = "stablehlo.select_and_scatter"(%x, %g, %z) <{window_dimensions = array<i64: 6>, window_strides = array<i64: 1>}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %2 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %2 : tensor<i1> }, { ^bb0(%a: tensor<f32>, %b: tensor<f32>): %2 = stablehlo.add %a, %b : tensor<f32> stablehlo.return %2 : tensor<f32> }) : (tensor<8xf32>, tensor<3xf32>, tensor<f32>) -> tensor<8xf32>
 return %1 : tensor<8xf32> }""",
        {"all_gather": 1},
    ),
    "a rotation of what each device has": (
        '["x"=2]',
        """func.func @main(%x: tensor<8x4xf32> {S<[{}, {}]>}) -> (tensor<8x4xf32> {S<[{"x"}, {}]>}) {
 %0 = stablehlo.slice %x [3:8, 0:4] : (tensor<8x4xf32>) -> tensor<5x4xf32>
 %1 = stablehlo.slice %x [0:3, 0:4] : (tensor<8x4xf32>) -> tensor<3x4xf32>
 %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<5x4xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
 return %2 : tensor<8x4xf32> }""",
        {"collective_permute": 2},
    ),
    "slices that are no rotation": (
        '["x"=2]',
        """func.func @main(%x: tensor<8x4xf32> {S<[{"x"}, {}]>}) -> (tensor<7x4xf32> {S<[{"x"}, {}]>}) {
 %0 = stablehlo.slice %x [3:8, 0:4] : (tensor<8x4xf32>) -> tensor<5x4xf32>
 %1 = stablehlo.slice %x [1:3, 0:4] : (tensor<8x4xf32>) -> tensor<2x4xf32>
 %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<5x4xf32>, tensor<2x4xf32>) -> tensor<7x4xf32>
 return %2 : tensor<7x4xf32> }""",
        {"collective_permute": 4, "all_gather": 1},
    ),
    "a concatenation that two all-to-alls turn": (
        '["x"=8]',
        """func.func @main(%x: tensor<8x16xf32> {S<[{"x"}, {}]>}, %y: tensor<8x16xf32> {S<[{"x"}, {}]>}) -> (tensor<16x16xf32> {S<[{"x"}, {}]>}) {
 %2 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
 return %2 : tensor<16x16xf32> }""",
        {"all_to_all": 3},
    ),
    "a slice that is sharded along another dimension": (
        '["x"=2]',
        """func.func @main(%t: tensor<8x4xf32> {S<[{"x"}, {}]>}, %i: tensor<i32>) -> (tensor<2x4xf32> {S<[{}, {"x"}]>}) {
 %c = stablehlo.constant dense<0> : tensor<i32>
 %r = stablehlo.dynamic_slice %t, %i, %c, sizes = [2, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
 return %r : tensor<2x4xf32> }""",
        {"all_to_all": 1},
    ),
    "a convolution of batches that do not divide": (
        '["x"=2, "y"=2]',
        """func.func @main(%x: tensor<3x16x8xf32> {S<[{"y"}, {"x"}, {}]>}, %w: tensor<3x8x4xf32>) -> (tensor<3x16x4xf32> {S<[{"y"}, {"x"}, {}]>}) {
 %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x16x8xf32>, tensor<3x8x4xf32>) -> tensor<3x16x4xf32>
 return %0 : tensor<3x16x4xf32> }""",
        {"all_gather": 2},
    ),
    "a convolution of far windows over parts of features": (
        '["x"=4, "y"=2]',
        """func.func @main(%x: tensor<2x16x8xf32> {S<[{}, {"x"}, {"y"}]>}, %w: tensor<16x8x4xf32> {S<[{}, {"y"}, {}]>}) -> (tensor<2x16x4xf32> {S<[{}, {"x"}, {}]>}) {
 %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[15, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x8xf32>, tensor<16x8x4xf32>) -> tensor<2x16x4xf32>
 return %0 : tensor<2x16x4xf32> }""",
        {"all_gather": 1, "all_reduce": 1},
    ),
    "a reduction between groups of one device": (
        '["x"=2]',
        """func.func @main(%x: tensor<4xf32> {S<[{"x"}]>}) -> (tensor<4xf32> {S<[{"x"}]>}) {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}""",
        {},
    ),
}
"""By name: a mesh, a program, and the collectives of a device that it has when it is partitioned."""


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_collectives_of_an_operation(name: str):
    mesh, text, expected = OPERATIONS[name]
    trial = trial_of(f"sdy.mesh @mesh = <{mesh}>\n" + text.replace("S<", "sdy.sharding = #sdy.sharding<@mesh, "))
    kinds = (op.name.removeprefix("stablehlo.") for op in operations_of(trial.pair.local, *COLLECTIVES))
    assert Counter(kinds) == expected and not trial.differs()
