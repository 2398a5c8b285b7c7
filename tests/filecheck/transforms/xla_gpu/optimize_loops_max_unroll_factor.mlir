// RUN: xshardy-opt %s -p xla-gpu-optimize-loops | filecheck %s
// RUN: xshardy-opt %s -p 'xla-gpu-optimize-loops{max_unroll_factor=32}' | filecheck %s --check-prefix=FEW

// A body of two expensive functions may be copied ten times. A loop of few iterations is unrolled whatever its size.

// CHECK-LABEL: func.func @large(
// CHECK:         %[[STEP:.*]] = arith.constant 8 : index
// CHECK:         scf.for {{.*}} step %[[STEP]]

// FEW-LABEL:   func.func @large(
// FEW-NOT:       scf.for
// FEW-COUNT-32:  math.tanh
// FEW-LABEL:   func.func @longer(
// FEW:           scf.for
func.func @large(%x: f32) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 32 : index
  %0 = scf.for %i = %zero to %end step %one iter_args(%a = %x) -> (f32) {
    %1 = math.tanh %a : f32
    %2 = math.exp %1 : f32
    scf.yield %2 : f32
  }
  return %0 : f32
}

func.func @longer(%x: f32) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 33 : index
  %0 = scf.for %i = %zero to %end step %one iter_args(%a = %x) -> (f32) {
    %1 = math.tanh %a : f32
    %2 = math.exp %1 : f32
    scf.yield %2 : f32
  }
  return %0 : f32
}
