# ruff: noqa: E501 - programs have long lines
"""
Rules of operations: what our passes make of a program is proved, and with a fault it is not.

A fault replaces a text in the program of a device by another one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from proof_pairs import Trial, trial_of

from xshardy.syntax import parse_module, print_module


@dataclass(frozen=True)
class Rule:
    """A program without its mesh, and faults of the program of a device."""

    whole: str
    faults: Sequence[tuple[str, str]]
    mesh: str = '["x"=2]'

    @property
    def trial(self) -> Trial:
        return trial_of(
            f"sdy.mesh @mesh = <{self.mesh}>\n" + self.whole.replace("S<", "sdy.sharding = #sdy.sharding<@mesh, ")
        )


SUMMANDS, OF_TWO = '<@mesh, [{}], unreduced={"x"}>', '<@mesh, [{}, {}], unreduced={"x"}>'
"""Shardings of results of which devices have summands."""

SCATTER = """<{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}>"""
GATHER = """<{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}>"""

RULES = {
    "scatter of several tensors": Rule(
        f"""func.func @main(%t: tensor<4xi32> {{S<[{{"x"}}]>}}, %u: tensor<4xi32> {{S<[{{"x"}}]>}}, %i: tensor<3x1xi64>, %a: tensor<3xi32>, %b: tensor<3xi32>)
            -> (tensor<4xi32> {{S<[{{"x"}}]>}}, tensor<4xi32> {{S<[{{"x"}}]>}}) {{
          %r:2 = "stablehlo.scatter"(%t, %u, %i, %a, %b) {SCATTER} ({{
          ^bb0(%p: tensor<i32>, %q: tensor<i32>, %v: tensor<i32>, %w: tensor<i32>):
            %0 = stablehlo.maximum %p, %v : tensor<i32>
            %1 = stablehlo.add %q, %w : tensor<i32>
            stablehlo.return %0, %1 : tensor<i32>, tensor<i32>
          }}) : (tensor<4xi32>, tensor<4xi32>, tensor<3x1xi64>, tensor<3xi32>, tensor<3xi32>) -> (tensor<4xi32>, tensor<4xi32>)
          return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
        }}""",
        [
            ("stablehlo.subtract", "stablehlo.add"),
            ("dense<[0, 2]>", "dense<[0, 1]>"),
            ("return %8, %9", "return %9, %8"),
            ("%arg3, %arg4) <{scatter", "%arg4, %arg3) <{scatter"),
        ],
    ),
    "scatter at a known index, as one that wraps around on a device": Rule(
        f"""func.func @main(%t: tensor<4xi32> {{S<[{{"x"}}]>}}, %a: tensor<1xi32>) -> (tensor<4xi32> {{S<[{{"x"}}]>}}) {{
          %i = stablehlo.constant dense<1> : tensor<1x1xui8>
          %r = "stablehlo.scatter"(%t, %i, %a) {SCATTER} ({{
          ^bb0(%p: tensor<i32>, %q: tensor<i32>):
            %0 = stablehlo.multiply %p, %q : tensor<i32>
            stablehlo.return %0 : tensor<i32>
          }}) : (tensor<4xi32>, tensor<1x1xui8>, tensor<1xi32>) -> tensor<4xi32>
          return %r : tensor<4xi32>
        }}""",
        [("dense<[0, 1, 2, 3]>", "dense<[1, 0, 2, 3]>"), ("dense<1> : tensor<1x1xui8>", "dense<2> : tensor<1x1xui8>")],
        '["x"=4]',
    ),
    "look-up in parts of one element": Rule(
        f"""func.func @main(%t: tensor<2xi32> {{S<[{{"x"}}]>}}, %i: tensor<3x1xi32>) -> tensor<3xi32> {{
          %0 = "stablehlo.gather"(%t, %i) {GATHER} : (tensor<2xi32>, tensor<3x1xi32>) -> tensor<3xi32>
          return %0 : tensor<3xi32>
        }}""",
        [
            ("compare LE", "compare LT"),
            ("compare GE", "compare NE"),
            ("dense<[0, 1]>", "dense<[1, 0]>"),
            ("dense<1> : tensor<3x1xi32>", "dense<0> : tensor<3x1xi32>"),
        ],
    ),
    "look-up at padded indices": Rule(
        f"""func.func @main(%t: tensor<5xi32>, %i: tensor<3x1xi32>) -> tensor<3xi32> {{
          %0 = "stablehlo.gather"(%t, %i) {GATHER} {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"x"}}]>]>}} : (tensor<5xi32>, tensor<3x1xi32>) -> tensor<3xi32>
          return %0 : tensor<3xi32>
        }}""",
        [
            ("dense<[0, 2]>", "dense<[0, 1]>"),
            ("low = [0, 0], high = [1, 0]", "low = [1, 0], high = [0, 0]"),
            ("[0:3]", "[1:4]"),
        ],
    ),
    "look-up of batches": Rule(
        """func.func @main(%t: tensor<4x5xi32> {S<[{"x"}, {}]>}, %i: tensor<4x3x1xi32> {S<[{"x"}, {}, {}]>}) -> (tensor<4x3xi32> {S<[{"x"}, {}]>}) {
          %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x5xi32>, tensor<4x3x1xi32>) -> tensor<4x3xi32>
          return %0 : tensor<4x3xi32>
        }""",
        [
            (
                '%0 = "stablehlo.gather"(%arg0',
                '%9 = stablehlo.reverse %arg0, dims = [0] : tensor<2x5xi32>\n%0 = "stablehlo.gather"(%9',
            )
        ],
    ),
    "look-up among zeros": Rule(
        """func.func @main(%t: tensor<3x1xi8>, %i: tensor<2x1xi32>) -> (tensor<2x2xi8> {S<[{"x"}, {}]>}) {
          %c = stablehlo.constant dense<0> : tensor<i8>
          %0 = stablehlo.pad %t, %c, low = [1, 0], high = [1, 1], interior = [0, 0] : (tensor<3x1xi8>, tensor<i8>) -> tensor<5x2xi8>
          %1 = "stablehlo.gather"(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<5x2xi8>, tensor<2x1xi32>) -> tensor<2x2xi8>
          return %1 : tensor<2x2xi8>
        }""",
        [
            ("low = [1, 0], high = [1, 1]", "low = [1, 1], high = [1, 0]"),
            ("dense<0> : tensor<i8>", "dense<1> : tensor<i8>"),
        ],
    ),
    "slice that is larger than a part": Rule(
        """func.func @main(%t: tensor<2x8xi32> {S<[{}, {"x"}]>}, %i: tensor<i32>) -> tensor<1x7xi32> {
          %0 = stablehlo.dynamic_slice %t, %i, %i, sizes = [1, 7] : (tensor<2x8xi32>, tensor<i32>, tensor<i32>) -> tensor<1x7xi32>
          return %0 : tensor<1x7xi32>
        }""",
        [
            ("dense<[0, 4]>", "dense<[4, 0]>"),
            ("low = [0, 7], high = [0, 7]", "low = [0, 6], high = [0, 8]"),
            ("stablehlo.subtract", "stablehlo.add"),
        ],
    ),
    "slices and look-ups of summands": Rule(
        """func.func @main(%t: tensor<6xi32> {S<[{}], unreduced={"x"}>}, %i: tensor<i32>, %y: tensor<3xi32>) -> (tensor<3xi32>) {
          %0 = stablehlo.dynamic_slice %t, %i, sizes = [3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : (tensor<6xi32>, tensor<i32>) -> tensor<3xi32>
          %1 = stablehlo.subtract %y, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<3xi32>
          return %1 : tensor<3xi32>
        }""",
        [
            ("dense<[true, false]>", "dense<true>"),
            ("dense<[true, false]>", "dense<[false, false]>"),
            ("stablehlo.add", "stablehlo.maximum"),
        ],
    ),
    "a summand and what one device has, in any order": Rule(
        """func.func @main(%t: tensor<4xi32> {S<[{}], unreduced={"x"}>}, %y: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
          %0 = stablehlo.multiply %y, %y : tensor<4xi32>
          %1 = stablehlo.add %0, %t {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<4xi32>
          %2 = stablehlo.multiply %y, %t {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<4xi32>
          return %1, %2 : tensor<4xi32>, tensor<4xi32>
        }""",
        [
            ("dense<[true, false]>", "dense<true>"),
            ("dense<[true, false]>", "dense<false>"),
            ("stablehlo.multiply %arg1, %arg0", "stablehlo.multiply %arg0, %arg0"),
        ],
    ),
    "a factor that one device has": Rule(
        """func.func @main(%x: tensor<4xi32>) -> (tensor<4xi32>) {
          %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<4xi32>
          %1 = stablehlo.multiply %x, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<4xi32>
          return %1 : tensor<4xi32>
        }""",
        [("dense<[true, false]>", "dense<true>"), ("dense<[true, false]>", "dense<false>")],
    ),
    "sum of sums of which devices have parts": Rule(
        """func.func @main(%t: tensor<4xi32> {S<[{"y"}], unreduced={"x"}>}) -> (tensor<i32>, tensor<i32>) {
          %c = stablehlo.constant dense<0> : tensor<i32>
          %0 = stablehlo.reduce(%t init: %c) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [], unreduced={"x"}>]>} : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
          %1 = stablehlo.multiply %0, %0 : tensor<i32>
          return %0, %1 : tensor<i32>, tensor<i32>
        }""",
        [
            ("dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>", f"dense<{groups}> : tensor<2x2xi64>")
            for groups in ("[[0, 1], [2, 3]]", "[[0, 2], [1, 3]]")
        ],
        '["x"=2, "y"=2]',
    ),
    "sum over devices of different elements": Rule(
        """func.func @main(%t: tensor<2x4xi32> {S<[{"y"}, {}], unreduced={"x"}>}) -> tensor<4xi32> {
          %c = stablehlo.constant dense<0> : tensor<i32>
          %0 = stablehlo.reduce(%t init: %c) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"y"}>]>} : (tensor<2x4xi32>, tensor<i32>) -> tensor<4xi32>
          %1 = sdy.sharding_constraint %0 <@mesh, [{}], unreduced={"y"}> : tensor<4xi32>
          %2 = stablehlo.multiply %1, %1 : tensor<4xi32>
          return %2 : tensor<4xi32>
        }""",
        [
            ("dense<[[0, 1], [2, 3]]>", "dense<[[0, 2], [1, 3]]>"),
            ("dense<[[0, 2], [1, 3]]>", "dense<[[0, 1], [2, 3]]>"),
        ],
        '["x"=2, "y"=2]',
    ),
    "sum of a tensor and the same again": Rule(
        """func.func @main(%t: tensor<2xi32> {S<[{}]>}) -> tensor<i32> {
          %c = stablehlo.constant dense<0> : tensor<i32>
          %0 = stablehlo.concatenate %t, %t, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
          %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
          return %1 : tensor<i32>
        }""",
        [
            ("dense<[[0, 1]]> : tensor<1x2xi64>", "dense<[[0], [1]]> : tensor<2x1xi64>"),
            ("stablehlo.add", "stablehlo.maximum"),
        ],
    ),
    "ones between elements": Rule(
        """func.func @main(%t: tensor<2x1xi32>) -> (tensor<4x3xi32> {S<[{"x"}, {}]>}) {
          %c = stablehlo.constant dense<1> : tensor<i32>
          %0 = stablehlo.pad %t, %c, low = [1, 1], high = [0, 1], interior = [1, 0] : (tensor<2x1xi32>, tensor<i32>) -> tensor<4x3xi32>
          return %0 : tensor<4x3xi32>
        }""",
        [
            ("dense<1> : tensor<i32>", "dense<2> : tensor<i32>"),
            ("low = [1, 1], high = [0, 1]", "low = [0, 1], high = [1, 1]"),
        ],
    ),
    "parts that are no digits of an index": Rule(
        """func.func @main(%t: tensor<5x8xi64>) -> (tensor<40xi64> {S<[{"x"}]>}) {
          %0 = stablehlo.reshape %t : (tensor<5x8xi64>) -> tensor<40xi64>
          return %0 : tensor<40xi64>
        }""",
        [("dense<[0, 20]>", "dense<[0, 19]>"), ("dense<[0, 20]>", "dense<[20, 0]>")],
    ),
    "Cholesky decompositions": Rule(
        """func.func @main(%x: tensor<4x3x3xf32> {S<[{"x"}, {}, {}]>}) -> (tensor<4x3x3xf32> {S<[{"x"}, {}, {}]>}) {
          %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x3x3xf32>, tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
          %1 = stablehlo.cholesky %0, lower = true : tensor<4x3x3xf32>
          return %1 : tensor<4x3x3xf32>
        }""",
        [("lower = true", "lower = false")],
    ),
    "triangular systems": Rule(
        """func.func @main(%a: tensor<4x3x3xf32> {S<[{"x"}, {}, {}]>}, %b: tensor<4x3x2xf32> {S<[{"x"}, {}, {}]>}) -> (tensor<4x3x2xf32> {S<[{"x"}, {}, {}]>}) {
          %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x3x3xf32>, tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
          return %0 : tensor<4x3x2xf32>
        }""",
        [("lower = true", "lower = false")],
    ),
    "Fourier transforms": Rule(
        """func.func @main(%x: tensor<4x4xcomplex<f32>> {S<[{"x"}, {}]>}) -> (tensor<4x4xcomplex<f32>> {S<[{"x"}, {}]>}) {
          %0 = stablehlo.fft %x, type = FFT, length = [4] : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
          return %0 : tensor<4x4xcomplex<f32>>
        }""",
        [("type = FFT", "type = IFFT")],
    ),
    "largest elements": Rule(
        """func.func @main(%x: tensor<4x6xf32> {S<[{"x"}, {}]>}) -> (tensor<4x2xf32> {S<[{"x"}, {}]>}, tensor<4x2xi32> {S<[{"x"}, {}]>}) {
          %0:2 = chlo.top_k(%x, k = 2) : tensor<4x6xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
          return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xi32>
        }""",
        [
            (
                "%values, %indices = chlo.top_k(%arg0",
                "%9 = stablehlo.reverse %arg0, dims = [1] : tensor<2x6xf32>\n%values, %indices = chlo.top_k(%9",
            )
        ],
    ),
    "elements normalized by the statistics of their feature": Rule(
        """func.func @main(%x: tensor<4x2xf32> {S<[{"x"}, {}]>}, %s: tensor<2xf32>, %o: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) -> (tensor<4x2xf32> {S<[{"x"}, {}]>}) {
          %0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{epsilon = 1.0e+2 : f32, feature_index = 1 : i64}> : (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
          return %0 : tensor<4x2xf32>
        }""",
        [
            ("%arg1, %arg2", "%arg2, %arg1"),
            ("feature_index = 1", "feature_index = 0"),
            ("1.000000e+02", "2.000000e+02"),
        ],
    ),
    "an operation that others define": Rule(
        """func.func @main(%x: tensor<4xf32>, %y: tensor<2x4xf32>) -> (tensor<2x4xf32> {S<[{}, {"x"}]>}) {
          %0 = chlo.broadcast_subtract %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
          return %0 : tensor<2x4xf32>
        }""",
        [("broadcast_subtract", "broadcast_add")],
    ),
    "a convolution of groups of several features": Rule(
        """func.func @main(%x: tensor<2x8x4xf32> {S<[{}, {"x"}, {}]>}, %w: tensor<3x2x4xf32>) -> (tensor<2x8x4xf32> {S<[{}, {"x"}, {}]>}) {
          %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x4xf32>, tensor<3x2x4xf32>) -> tensor<2x8x4xf32>
          return %0 : tensor<2x8x4xf32>
        }""",
        [
            (
                "%17 = stablehlo.convolution(%16, %arg1)",
                "%99 = stablehlo.reverse %arg1, dims = [2] : tensor<3x2x4xf32>\n%17 = stablehlo.convolution(%16, %99)",
            )
        ],
    ),
    "loops that carry other numbers of values": Rule(
        """func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %three = stablehlo.constant dense<3> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %a:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xi32> cond {
            %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          } do {
            %j = stablehlo.add %i, %one : tensor<i32>
            %w = stablehlo.add %v, %v : tensor<4xi32>
            stablehlo.return %j, %w : tensor<i32>, tensor<4xi32>
          }
          %b:3 = stablehlo.while(%i = %zero, %v = %x, %u = %a#1) : tensor<i32>, tensor<4xi32>, tensor<4xi32> cond {
            %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          } do {
            %j = stablehlo.add %i, %one : tensor<i32>
            %w = stablehlo.subtract %v, %u : tensor<4xi32>
            %t = stablehlo.negate %u : tensor<4xi32>
            stablehlo.return %j, %w, %t : tensor<i32>, tensor<4xi32>, tensor<4xi32>
          }
          return %b#1 : tensor<4xi32>
        }""",
        [("stablehlo.negate", "stablehlo.abs"), ("stablehlo.subtract", "stablehlo.add"), ("dense<3>", "dense<2>")],
    ),
    "conditionals of other numbers of results": Rule(
        """func.func @main(%x: tensor<4xi32>, %p: tensor<i1>) -> (tensor<4xi32>, tensor<4xi32>) {
          %a = "stablehlo.if"(%p) ({
            %1 = stablehlo.negate %x : tensor<4xi32>
            stablehlo.return %1 : tensor<4xi32>
          }, {
            stablehlo.return %x : tensor<4xi32>
          }) : (tensor<i1>) -> tensor<4xi32>
          %b:2 = "stablehlo.if"(%p) ({
            %1 = stablehlo.subtract %x, %a : tensor<4xi32>
            stablehlo.return %1, %x : tensor<4xi32>, tensor<4xi32>
          }, {
            stablehlo.return %a, %a : tensor<4xi32>, tensor<4xi32>
          }) : (tensor<i1>) -> (tensor<4xi32>, tensor<4xi32>)
          return %b#0, %b#1 : tensor<4xi32>, tensor<4xi32>
        }""",
        [("stablehlo.subtract", "stablehlo.add"), ("stablehlo.negate", "stablehlo.abs")],
    ),
    "update at a known and at a given index": Rule(
        """func.func @main(%t: tensor<8x6xf32>, %u: tensor<3x2xf32>, %i: tensor<i32>) -> tensor<8x6xf32> {
          %c = stablehlo.constant dense<1> : tensor<i32>
          %0 = stablehlo.dynamic_update_slice %t, %u, %c, %i : (tensor<8x6xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
          return %0 : tensor<8x6xf32>
        }""",
        [("dense<1>", "dense<2>"), ("%c, %arg2 :", "%arg2, %c :")],
    ),
    "sums of windows over two tensors": Rule(
        """func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<8xf32> {
          %c = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
          %1 = "stablehlo.reduce_window"(%0, %c) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 1>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %2 = stablehlo.add %a, %b : tensor<f32>
            stablehlo.return %2 : tensor<f32>
          }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
          return %1 : tensor<8xf32>
        }""",
        [("concatenate %arg0, %arg1", "concatenate %arg1, %arg0"), ("dense<1>", "dense<[[2, 0]]>")],
    ),
    "update of summands by summands": Rule(
        f"""func.func @main(%t: tensor<6xi32> {{S<[{{}}], unreduced={{"x"}}>}}, %u: tensor<3xi32> {{S<[{{}}], unreduced={{"x"}}>}}, %i: tensor<i32>) -> tensor<6xi32> {{
          %0 = stablehlo.dynamic_update_slice %t, %u, %i {{sdy.sharding = #sdy.sharding_per_value<[{SUMMANDS}]>}} : (tensor<6xi32>, tensor<3xi32>, tensor<i32>) -> tensor<6xi32>
          return %0 : tensor<6xi32>
        }}""",
        [
            ("stablehlo.add", "stablehlo.maximum"),
            ("dense<[[0, 1]]> : tensor<1x2xi64>", "dense<[[0], [1]]> : tensor<2x1xi64>"),
        ],
    ),
    "summands of a quotient, and in a wider type": Rule(
        f"""func.func @main(%t: tensor<6xf32> {{S<[{{}}], unreduced={{"x"}}>}}, %y: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf64>) {{
          %0 = stablehlo.divide %t, %y {{sdy.sharding = #sdy.sharding_per_value<[{SUMMANDS}]>}} : tensor<6xf32>
          %1 = stablehlo.convert %t : (tensor<6xf32>) -> tensor<6xf64>
          return %0, %1 : tensor<6xf32>, tensor<6xf64>
        }}""",
        [("stablehlo.divide", "stablehlo.multiply"), ("stablehlo.add", "stablehlo.maximum")],
    ),
    "a sum that is converted to a narrower type": Rule(
        """func.func @main(%t: tensor<6xf64> {S<[{}], unreduced={"x"}>}) -> tensor<6xf32> {
          %0 = stablehlo.convert %t : (tensor<6xf64>) -> tensor<6xf32>
          return %0 : tensor<6xf32>
        }""",
        [("stablehlo.add", "stablehlo.maximum")],
    ),
    "summands that a mask chooses": Rule(
        f"""func.func @main(%t: tensor<6xi32> {{S<[{{}}], unreduced={{"x"}}>}}, %u: tensor<6xi32> {{S<[{{}}], unreduced={{"x"}}>}}, %m: tensor<6xi1>) -> tensor<6xi32> {{
          %0 = stablehlo.select %m, %t, %u {{sdy.sharding = #sdy.sharding_per_value<[{SUMMANDS}]>}} : tensor<6xi1>, tensor<6xi32>
          return %0 : tensor<6xi32>
        }}""",
        [("stablehlo.add", "stablehlo.maximum"), ("select %arg2, %arg0, %arg1", "select %arg2, %arg1, %arg0")],
    ),
    "padded summands, times what each device has": Rule(
        f"""func.func @main(%t: tensor<6xi32> {{S<[{{}}], unreduced={{"x"}}>}}, %y: tensor<9xi32>) -> tensor<9xi32> {{
          %z = stablehlo.constant dense<0> : tensor<i32>
          %0 = stablehlo.pad %t, %z, low = [0], high = [3], interior = [0] {{sdy.sharding = #sdy.sharding_per_value<[{SUMMANDS}]>}} : (tensor<6xi32>, tensor<i32>) -> tensor<9xi32>
          %1 = stablehlo.multiply %y, %0 {{sdy.sharding = #sdy.sharding_per_value<[{SUMMANDS}]>}} : tensor<9xi32>
          return %1 : tensor<9xi32>
        }}""",
        [("stablehlo.add", "stablehlo.maximum"), ("dense<0> : tensor<i32>", "dense<1> : tensor<i32>")],
    ),
    "product of padded summands": Rule(
        f"""func.func @main(%t: tensor<2x6xi32> {{S<[{{}}, {{}}], unreduced={{"x"}}>}}, %y: tensor<8x3xi32>) -> tensor<2x3xi32> {{
          %z = stablehlo.constant dense<0> : tensor<i32>
          %0 = stablehlo.pad %t, %z, low = [0, 0], high = [0, 2], interior = [0, 0] {{sdy.sharding = #sdy.sharding_per_value<[{OF_TWO}]>}} : (tensor<2x6xi32>, tensor<i32>) -> tensor<2x8xi32>
          %1 = stablehlo.dot %0, %y {{sdy.sharding = #sdy.sharding_per_value<[{OF_TWO}]>}} : (tensor<2x8xi32>, tensor<8x3xi32>) -> tensor<2x3xi32>
          return %1 : tensor<2x3xi32>
        }}""",
        [("stablehlo.add", "stablehlo.maximum"), ("dense<0> : tensor<i32>", "dense<1> : tensor<i32>")],
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_the_partition_is_proved(name: str):
    trial = RULES[name].trial
    assert trial.decision.is_proved and not trial.differs()


@pytest.mark.parametrize(
    ("name", "old", "new"), [(name, *fault) for name, rule in RULES.items() for fault in rule.faults]
)
def test_a_partition_with_a_fault_is_not_proved(name: str, old: str, new: str):
    trial = RULES[name].trial
    text = print_module(trial.pair.local)
    assert old in text
    wrong = trial.with_local(parse_module(text.replace(old, new)))
    assert wrong.differs(range(8)), "the fault changes nothing, so that the test says nothing"
    assert not wrong.decision.is_proved


def test_sums_are_rounded_once():
    """A conversion to a narrower type, and a quotient of integers, are of sums: parts would be rounded on their own."""
    rounded = RULES["a sum that is converted to a narrower type"].trial
    quotient = Rule(
        f"""func.func @main(%t: tensor<6xi32> {{S<[{{}}], unreduced={{"x"}}>}}, %y: tensor<6xi32>) -> tensor<6xi32> {{
          %0 = stablehlo.divide %t, %y {{sdy.sharding = #sdy.sharding_per_value<[{SUMMANDS}]>}} : tensor<6xi32>
          return %0 : tensor<6xi32>
        }}""",
        [],
    ).trial
    wider = RULES["summands of a quotient, and in a wider type"].trial
    for trial, name, reads_parts in (
        (rounded, "convert", False),
        (quotient, "divide", False),
        (wider, "convert", True),
        (wider, "divide", True),
    ):
        (line,) = (line for line in print_module(trial.pair.local).splitlines() if f"stablehlo.{name} " in line)
        assert ("%arg0" in line) == reads_parts


def test_a_sum_that_two_devices_have_is_not_the_sum_of_it_twice_and_once():
    twice, once = (
        f"""sdy.mesh @mesh = <["x"=2]>
        func.func @main(%t: tensor<2xi32>) -> tensor<i32> {{
          %c = stablehlo.constant dense<0> : tensor<i32>
          {copies}
          %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : ({type}, tensor<i32>) -> tensor<i32>
          return %1 : tensor<i32>
        }}"""
        for copies, type in (
            (
                "%0 = stablehlo.concatenate %t, %t, dim = 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>",
                "tensor<4xi32>",
            ),
            ("%0 = stablehlo.negate %t : tensor<2xi32>", "tensor<2xi32>"),
        )
    )
    once = once.replace("%0 = stablehlo.negate %t : tensor<2xi32>", "").replace("reduce(%0", "reduce(%t")
    local = print_module(RULES["sum of a tensor and the same again"].trial.pair.local)
    assert trial_of(twice, local).decision.is_proved
    assert trial_of(once, local).differs() and not trial_of(once, local).decision.is_proved
