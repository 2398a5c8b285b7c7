// RUN: xshardy-opt %s -p sdy-canonicalize-collectives --debug-patterns -o %t 2>&1 | filecheck %s
// RUN: xshardy-opt --debug-patterns=FoldOperation %s -p sdy-canonicalize-collectives -o %t 2>&1 | filecheck %s --check-prefix=ONE
// RUN: xshardy-opt --debug-patterns %s -p xla-gpu-vectorize-loads-stores -o %t 2>&1 | filecheck %s --check-prefix=KEPT
// RUN: not xshardy-opt %s -p sdy-close-shardings --debug-patterns=CloseShardings 2>&1 | filecheck %s --check-prefix=BAD

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Operations that are gone, one that has another operand, and a new one.
// CHECK:      sdy-canonicalize-collectives, step 1 of 3: FuseAllReduceIntoAllSlice (xshardy/dialects/sdy/canonicalization.py:{{[0-9]+}})
// CHECK-NEXT:   `all_slice [{"x", "z"}] (all_reduce {"x"} t)` -> `all_slice [{"z"}] (reduce_scatter [{"x"}] t)`
// CHECK-NEXT:   - %1 = sdy.all_slice [{"y"}] %0 out_sharding=
// CHECK-NEXT:   - %0 = sdy.all_reduce {"y"} %arg0 out_sharding=
// CHECK-NEXT:   - return %1 : tensor<8xf32>
// CHECK-NEXT:   + return %3 : tensor<8xf32>
// CHECK-NEXT:   + %3 = sdy.reduce_scatter [{"y"}] %arg0 out_sharding=
// CHECK-NEXT: sdy-canonicalize-collectives, step 2 of 3: FoldOperation
func.func @collectives(%t: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) -> tensor<8xf32> {
  %0 = sdy.all_reduce {"y"} %t out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.all_slice [{"y"}] %0 out_sharding=<@mesh, [{"y"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// ONE-NOT:   FuseAllReduce
// ONE:       sdy-canonicalize-collectives, step 2 of 3: FoldOperation (
// ONE-NEXT:    `op(x)` -> the value, or the constant, that it is equal to
// ONE-NEXT:    - %2 = arith.addi %c1, %c1 : index
// ONE-NEXT:    - %extracted = tensor.extract %arg1[%2] : tensor<4xf32>
// ONE-NEXT:    + %extracted = tensor.extract %arg1[%c2] : tensor<4xf32>
// ONE-NEXT:    + %c2 = arith.constant 2 : index
// ONE-NOT:   EraseDead

// A pattern that did not apply.
// KEPT:      xla-gpu-vectorize-loads-stores: VectorizeLoad did not apply: not vectorized: it is not directly in a loop
// KEPT-NEXT:     %extracted = tensor.extract %arg1[%2] : tensor<4xf32>
func.func @fold(%t: tensor<4xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %0 = arith.addi %c1, %c1 : index
  %1 = tensor.extract %t[%0] : tensor<4xf32>
  return %1 : f32
}

// BAD: error: these passes have no pattern 'CloseShardings': did you mean CloseSharding
