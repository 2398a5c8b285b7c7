"""Operations on tensors that are not divided evenly are padded, run on the simulated mesh, and equal the whole."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from partitioned import Outcome, check_partitioned
from partitioning.samples import Sample
from partitioning.shardings import meshes, shard
from partitioning.table import NOTHING_TO_SHARD, REFUSED_IN_PARTS, SAMPLERS
from xdsl.dialects.builtin import ComplexType, ModuleOp, TensorType, i1
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense_values, zeros
from xshardy.dialects.discardable import verify
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_partition.pad import pad_for_divisibility
from xshardy.transforms.sdy_partition.pad.pad_for_divisibility import PadForDivisibilityPass
from xshardy.transforms.sdy_partition.pad.padding_code import PaddingCode
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.universe import new_context

PATIENCE = 400
"""How many programs of one operation are drawn until one is padded and runs."""

KINDS = [kind for kind in SAMPLERS if kind not in REFUSED_IN_PARTS and kind not in NOTHING_TO_SHARD]

PADDED = (
    *(stablehlo.ConcatenateOp, stablehlo.ConstantOp, stablehlo.DotGeneralOp, stablehlo.DynamicSliceOp),
    *(stablehlo.GatherOp, stablehlo.IotaOp, stablehlo.PadOp, stablehlo.ReduceOp, stablehlo.ReduceWindowOp),
    *(stablehlo.ReverseOp, stablehlo.RngBitGeneratorOp, stablehlo.ScatterOp, stablehlo.SliceOp, stablehlo.SortOp),
)
"""Operations of which a padded program has to run in parts."""

COMMON = settings(deadline=None, suppress_health_check=list(HealthCheck), database=None)


class RanPaddedError(Exception):
    """Ends a search for a program that is padded and runs in parts."""


def seven(code: PaddingCode, element: Attribute) -> SSAValue:
    """What pads tensors in these tests instead of zero or false: sums, indices and negative maxima notice it."""
    scalar = TensorType(element, [])
    return code.constant(
        zeros(scalar) if isinstance(element, ComplexType) else dense_values(scalar, [1 if element == i1 else 7])
    )


def pad(module: ModuleOp) -> None:
    """Pad `module` with sevens, and nothing known of them."""
    with (
        patch.object(PaddingCode, "zero", seven),
        patch.object(pad_for_divisibility, "zeros_after", lambda *_: False),
    ):
        PadForDivisibilityPass().apply(new_context(), module)


def outcome(data: st.DataObject, kind: type[Operation], mesh: MeshAttr) -> tuple[Outcome, bool]:
    """What becomes of a program of one operation of this kind, and whether it was padded."""
    sample = SAMPLERS[kind](data.draw)
    module = parse_module(sample.text)
    shard(data.draw, module, mesh, inside=data.draw(st.booleans()), uneven=True)
    note(str(module))
    try:
        PropagationPipelinePass(enable_insert_explicit_collectives=True).apply(new_context(), module)
        before = str(module)
        if data.draw(st.integers(0, 3)):
            pad(module)
        else:
            PadForDivisibilityPass().apply(new_context(), module)
    except OperationFailedException as refused:
        assert str(refused).strip()
        return Outcome.REFUSED, False
    note(f"becomes\n{before}\nand\n{module}")
    verify(module)
    return check_partitioned(module, sample, mesh, kind), str(module) != before


@settings(COMMON)
@given(st.data(), st.sampled_from(KINDS), meshes)
def test_any_operation(data: st.DataObject, kind: type[Operation], mesh: MeshAttr):
    """Operands and results sharded in any way, mostly unevenly."""
    outcome(data, kind, mesh)


@pytest.mark.parametrize("kind", PADDED, ids=lambda kind: kind.name.removeprefix("stablehlo."))
def test_a_padded_operation_runs(kind: type[Operation]):
    def run(data: st.DataObject, mesh: MeshAttr) -> None:
        if outcome(data, kind, mesh) == (Outcome.RAN_IN_PARTS, True):
            raise RanPaddedError

    with pytest.raises(RanPaddedError):
        settings(COMMON, max_examples=PATIENCE, phases=[Phase.generate])(given(st.data(), meshes)(run))()


MESH = 'sdy.mesh @mesh = <["x"=4]>\n'
NEGATIVE = -np.arange(1, 16, dtype=np.float32).reshape(5, 3)

NOTICED = {
    "maximum": (
        stablehlo.ReduceOp,
        """func.func @main(%x: tensor<5x3xf32>, %c: tensor<f32>) -> tensor<3xf32> {{
          {divided}
          %0 = stablehlo.reduce({x} init: %c) applies stablehlo.maximum across dimensions = [0]
            : (tensor<5x3xf32>, tensor<f32>) -> tensor<3xf32>
          return %0 : tensor<3xf32>
        }}""",
        [NEGATIVE, np.float32(-np.inf)],
    ),
    "maximum in a wider type": (
        stablehlo.ReduceOp,
        """func.func @main(%x: tensor<5x3xf32>, %c: tensor<f32>) -> tensor<3xf64> {{
          {divided}
          %0 = "stablehlo.reduce"({x}, %c) <{{dimensions = array<i64: 0>}}> ({{
          ^bb0(%a: tensor<f64>, %b: tensor<f64>):
            %m = stablehlo.maximum %a, %b : tensor<f64>
            stablehlo.return %m : tensor<f64>
          }}) : (tensor<5x3xf32>, tensor<f32>) -> tensor<3xf64>
          return %0 : tensor<3xf64>
        }}""",
        [NEGATIVE, np.float32(-np.inf)],
    ),
    "product": (
        stablehlo.DotGeneralOp,
        """func.func @main(%x: tensor<5x3xf32>, %y: tensor<5x3xf32>) -> tensor<3x3xf32> {{
          {divided}
          %0 = stablehlo.dot_general {x}, {x}, contracting_dims = [0] x [0]
            : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<3x3xf32>
          return %0 : tensor<3x3xf32>
        }}""",
        [NEGATIVE, NEGATIVE],
    ),
}
"""Programs whose result is wrong if padding in dimension 0 of `%x`, which is divided in 4, is read."""


@pytest.mark.parametrize("name", NOTICED)
def test_padding_that_would_be_noticed(name: str):
    kind, text, arguments = NOTICED[name]
    divided = '%d = sdy.sharding_constraint %x <@mesh, [{"x"}, {}]> : tensor<5x3xf32>'
    module = parse_module(MESH + text.format(divided=divided, x="%d"))
    PropagationPipelinePass(enable_insert_explicit_collectives=True).apply(new_context(), module)
    pad(module)
    sample = Sample(text.format(divided="", x="%x"), arguments)
    assert check_partitioned(module, sample, MeshAttr.of([("x", 4)]), kind) is Outcome.RAN_IN_PARTS


def largest(dim: int, before: str = "", inputs: str = "%x, %y", sharding: str = "", after: str = "") -> str:
    """
    A program: the largest of the elements along `dim`, each with an element of another tensor.

    It returns %0 and %1: the results, or what `after` makes of the results %r0 and %r1.
    """
    results = ", ".join([f"tensor<{(3, 5)[dim]}xf32>"] * 2)
    reduced = "%r0, %r1" if after else "%0, %1"
    return f"""func.func @main(%x: tensor<5x3xf32>, %y: tensor<5x3xf32>, %c: tensor<f32>) -> ({results}) {{
        {before}
        {reduced} = "stablehlo.reduce"({inputs}, %c, %c) <{{dimensions = array<i64: {dim}>}}> ({{
        ^bb0(%a: tensor<f32>, %b: tensor<f32>, %d: tensor<f32>, %e: tensor<f32>):
          %2 = stablehlo.compare GT, %a, %d : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %3 = stablehlo.select %2, %a, %d : tensor<i1>, tensor<f32>
          %4 = stablehlo.select %2, %b, %e : tensor<i1>, tensor<f32>
          stablehlo.return %3, %4 : tensor<f32>, tensor<f32>
        }}) {{{sharding}}} : (tensor<5x3xf32>, tensor<5x3xf32>, tensor<f32>, tensor<f32>) -> ({results})
        {after}
        return %0, %1 : {results}
      }}"""


@pytest.mark.parametrize(("dim", "expected"), [(0, Outcome.RAN_WHOLE), (1, Outcome.RAN_IN_PARTS)])
def test_a_reduction_of_several_tensors_takes_padding_only_along_other_dimensions(dim: int, expected: Outcome):
    """No neutral element is known of what it computes."""
    before = """%px = sdy.all_slice [{"x"}, {}] %x out_sharding=<@mesh, [{"x"}, {}]> : tensor<5x3xf32>
        %py = sdy.all_slice [{"x"}, {}] %y out_sharding=<@mesh, [{"x"}, {}]> : tensor<5x3xf32>"""
    sharding, after = "", ""
    if dim == 1:
        sharding = 'sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>]>'
        after = """%0 = sdy.all_gather [{"x"}] %r0 out_sharding=<@mesh, [{}]> : tensor<5xf32>
          %1 = sdy.all_gather [{"x"}] %r1 out_sharding=<@mesh, [{}]> : tensor<5xf32>"""
    module = parse_module(MESH + largest(dim, before, "%px, %py", sharding, after))
    pad(module)
    sample = Sample(largest(dim), [NEGATIVE, NEGATIVE * 2, np.float32(-np.inf)])
    assert check_partitioned(module, sample, MeshAttr.of([("x", 4)]), stablehlo.ReduceOp) is expected


def test_windows_that_read_padding_in_a_wider_type():
    """Padding becomes the initial value, after both are converted to the type in which the windows are reduced."""
    text = """func.func @main(%x: tensor<5x3xf32>, %c: tensor<f64>) -> tensor<4x3xf64> {{
        {before}
        {result} = "stablehlo.reduce_window"({x}, %c) <{{window_dimensions = array<i64: 2, 1>,
          window_strides = array<i64: 2, 1>, padding = dense<[[0, 3], [0, 0]]> : tensor<2x2xi64>}}> ({{
        ^bb0(%a: tensor<f64>, %b: tensor<f64>):
          %m = stablehlo.maximum %a, %b : tensor<f64>
          stablehlo.return %m : tensor<f64>
        }}) {{{sharding}}} : (tensor<5x3xf32>, tensor<f64>) -> tensor<4x3xf64>
        {after}
        return %0 : tensor<4x3xf64>
      }}"""
    divided = text.format(
        before='%d = sdy.all_slice [{"x"}, {}] %x out_sharding=<@mesh, [{"x"}, {}]> : tensor<5x3xf32>',
        x="%d",
        result="%r",
        sharding='sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>',
        after='%0 = sdy.all_gather [{"x"}, {}] %r out_sharding=<@mesh, [{}, {}]> : tensor<4x3xf64>',
    )
    module = parse_module(MESH + divided)
    pad(module)
    sample = Sample(
        text.format(before="", x="%x", result="%0", sharding="", after=""), [NEGATIVE, np.array(-np.inf, np.float64)]
    )
    outcome_of_all = check_partitioned(module, sample, MeshAttr.of([("x", 4)]), stablehlo.ReduceWindowOp)
    assert outcome_of_all is Outcome.RAN_IN_PARTS


KEPT = {
    "reshape of a later dimension": (
        stablehlo.ReshapeOp,
        "stablehlo.reshape {x} {{{sharding}}} : (tensor<2x5x4xf32>) -> tensor<2x5x2x2xf32>",
        "2x5x2x2xf32",
    ),
    "positions of a convolution with groups": (
        stablehlo.ConvolutionOp,
        """stablehlo.convolution({x}, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{}}
            {{batch_group_count = 1 : i64, feature_group_count = 2 : i64{comma}{sharding}}}
            : (tensor<2x5x4xf32>, tensor<1x2x4xf32>) -> tensor<2x5x4xf32>""",
        "2x5x4xf32",
    ),
}
"""Operations on `%x`, divided in 4 along dimension 1, that need nothing of other parts, with their results."""


@pytest.mark.parametrize("name", KEPT)
def test_padding_of_dimensions_that_stay_apart(name: str):
    kind, operation, result = KEPT[name]
    text = f"""func.func @main(%x: tensor<2x5x4xf32>, %k: tensor<1x2x4xf32>) -> tensor<{result}> {{{{
        {{before}}
        %0 = {operation}
        {{after}}
      }}}}"""
    parts = ", ".join('{"x"}' if dim == 1 else "{}" for dim in range(result.count("x")))
    whole = parts.replace('"x"', "")
    divided = text.format(
        before='%d = sdy.all_slice [{}, {"x"}, {}] %x out_sharding=<@mesh, [{}, {"x"}, {}]> : tensor<2x5x4xf32>',
        x="%d",
        comma=", ",
        sharding=f"sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{parts}]>]>",
        after=f"""%1 = sdy.all_gather [{parts}] %0 out_sharding=<@mesh, [{whole}]> : tensor<{result}>
          return %1 : tensor<{result}>""",
    )
    module = parse_module(MESH + divided)
    pad(module)
    arguments = [np.arange(40, dtype=np.float32).reshape(2, 5, 4), np.arange(8, dtype=np.float32).reshape(1, 2, 4)]
    undivided = text.format(before="", x="%x", comma="", sharding="", after=f"return %0 : tensor<{result}>")
    sample = Sample(undivided, arguments)
    assert check_partitioned(module, sample, MeshAttr.of([("x", 4)]), kind) is Outcome.RAN_IN_PARTS
