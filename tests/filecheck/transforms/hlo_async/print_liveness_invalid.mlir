// RUN: xshardy-opt %s -p hlo-async-print-liveness --verify-diagnostics | filecheck %s

// CHECK: error: liveness is of one schedule: expected a single block
func.func @several_blocks(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb1
^bb1:
  return
}
