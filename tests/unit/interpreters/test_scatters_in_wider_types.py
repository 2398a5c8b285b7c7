"""Scatters whose computation has a wider type than their operands convert them first."""

import numpy as np

from xshardy.interpreters.stablehlo import evaluate
from xshardy.syntax import parse_module


def test_sums_that_the_operands_do_not_hold():
    module = parse_module("""
      func.func @main(%x: tensor<3xui8>, %i: tensor<2x1xi32>, %u: tensor<2xui8>) -> tensor<3xui32> {
        %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
          inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
        ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
          %c = stablehlo.add %a, %b : tensor<ui32>
          stablehlo.return %c : tensor<ui32>
        }) : (tensor<3xui8>, tensor<2x1xi32>, tensor<2xui8>) -> tensor<3xui32>
        return %0 : tensor<3xui32>
      }""")
    indices = np.array([[1], [1]], np.int32)
    (found,) = evaluate(module, [np.array([1, 200, 3], np.uint8), indices, np.array([100, 255], np.uint8)])
    np.testing.assert_array_equal(found, np.array([1, 555, 3], np.uint32), strict=True)


def test_the_operands_keep_their_elements():
    module = parse_module("""
      func.func @main(%x: tensor<3xi32>, %i: tensor<1x1xi32>, %u: tensor<1xi32>) -> tensor<3xi32> {
        %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
          inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          stablehlo.return %b : tensor<i32>
        }) : (tensor<3xi32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<3xi32>
        return %0 : tensor<3xi32>
      }""")
    given = np.array([1, 2, 3], np.int32)
    (found,) = evaluate(module, [given, np.array([[1]], np.int32), np.array([9], np.int32)])
    assert [*found] == [1, 9, 3] and [*given] == [1, 2, 3]


def test_sums_of_select_and_scatter_that_its_operands_do_not_hold():
    module = parse_module("""
      func.func @main(%x: tensor<3xui8>, %s: tensor<2xui8>, %z: tensor<ui8>) -> tensor<3xui32> {
        %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>}> ({
        ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
          %c = stablehlo.compare GE, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        }, {
        ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
          %c = stablehlo.add %a, %b : tensor<ui32>
          stablehlo.return %c : tensor<ui32>
        }) : (tensor<3xui8>, tensor<2xui8>, tensor<ui8>) -> tensor<3xui32>
        return %0 : tensor<3xui32>
      }""")
    (found,) = evaluate(module, [np.array([1, 9, 3], np.uint8), np.array([200, 255], np.uint8), np.uint8(7)])
    np.testing.assert_array_equal(found, np.array([7, 462, 7], np.uint32), strict=True)
