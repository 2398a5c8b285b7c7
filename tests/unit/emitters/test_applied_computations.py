"""Computations that are applied to elements, as functions: reducers, and the comparators of sorts."""

from test_operations_numerics import computation_of

from xshardy.dialects.stablehlo.sorting import SortOp
from xshardy.emitters.applied_computations import ignore_signs_of_zeros
from xshardy.emitters.elemental.support import require_emittable
from xshardy.emitters.partition import PartitionedComputations, partition_applied
from xshardy.emitters.subgraph import emit_subgraphs
from xshardy.syntax import parse_module

SORT = """
func.func @main(%x: tensor<5xf32>, %y: tensor<5xui8>) -> tensor<5xf32> {
  %r:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<ui8>, %d: tensor<ui8>):
      %before = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %same = stablehlo.compare EQ, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %less = stablehlo.compare LT, %c, %d, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %then = stablehlo.and %same, %less : tensor<i1>
      %r = stablehlo.or %before, %then : tensor<i1>
      stablehlo.return %r : tensor<i1>
  }) : (tensor<5xf32>, tensor<5xui8>) -> (tensor<5xf32>, tensor<5xui8>)
  func.return %r#0 : tensor<5xf32>
}
"""


def test_the_comparator_of_a_sort():
    """A function of two scalars of each operand: floats by their bits, and bytes without sign."""
    computation = computation_of(SORT)
    (sort,) = (op for op in computation.walk() if isinstance(op, SortOp))
    applied = PartitionedComputations()
    comparator = applied.of(sort)
    require_emittable(comparator)
    (function,) = emit_subgraphs(partition_applied(comparator, applied))
    function.verify()
    assert str(function.function_type) == "(f32, f32, i8, i8) -> i1"
    predicates = [op.predicate.value.data for op in function.walk() if op.name == "arith.cmpi"]
    assert predicates.count(2) >= 1, "a signed comparison of the bits of floats"
    assert predicates.count(6) == 1, "an unsigned comparison of bytes"


def test_equal_computations_are_one_and_names_are_unique():
    computations = [computation_of(SORT) for _ in range(2)]
    sorts = [op for computation in computations for op in computation.walk() if isinstance(op, SortOp)]
    applied = PartitionedComputations()
    assert applied.of(sorts[0]) is applied.of(sorts[1])
    assert applied.unique("f") == "f"
    assert applied.unique("f") == "f_0"


def test_only_sums_of_reducers_ignore_the_signs_of_zeros():
    module = parse_module("""
    func.func private @reducer(%x: f32, %y: f32) -> f32 {
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %0, %y : f32
      func.return %1 : f32
    }
    func.func private @other(%x: f32, %y: f32) -> f32 {
      %0 = arith.addf %x, %y : f32
      func.return %0 : f32
    }""")
    ignore_signs_of_zeros(module, {"reducer"})
    assert ["nsz" in str(op) for op in module.walk() if op.name.startswith("arith")] == [False, True, False]
