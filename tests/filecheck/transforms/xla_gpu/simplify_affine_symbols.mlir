// RUN: xshardy-opt %s -p xla-gpu-simplify-affine --split-input-file | filecheck %s

// Operands of dimensions come before those of symbols. Ranges of both are known: the division is one without a sign.
// CHECK-LABEL: func.func @symbols(
// CHECK:         %[[Q:.*]] = arith.divui %arg0, %{{.*}} : index
// CHECK:         %[[SUM:.*]] = arith.addi %{{.*}}, %{{.*}} overflow<nsw> : index
// CHECK-NEXT:    return %[[SUM]] : index
func.func @symbols(%d: index {xla.range = [0 : index, 63 : index]}, %s: index {xla.range = [0 : index, 7 : index]}) -> index {
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 floordiv 4 + s0)>(%d)[%s]
  return %0 : index
}

// -----

// A dividend that may be negative stays, be it first or second.
// CHECK-LABEL: func.func @signs(
// CHECK-COUNT-2: affine.apply
// CHECK:         return
func.func @signs(%d: index {xla.range = [0 : index, 63 : index]}, %s: index {xla.range = [-8 : index, 7 : index]}) -> (index, index) {
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 floordiv 4 + s0 floordiv 4)>(%d)[%s]
  %1 = affine.apply affine_map<(d0)[s0] -> (s0 floordiv 4 + d0 floordiv 4)>(%d)[%s]
  return %0, %1 : index, index
}
