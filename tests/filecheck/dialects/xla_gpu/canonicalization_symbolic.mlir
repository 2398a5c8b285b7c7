// RUN: xshardy-opt %s -p canonicalize --maps symbolic | filecheck %s
// RUN: xshardy-opt %s -p canonicalize --maps affine | filecheck %s --check-prefix=AFFINE

// XLA simplifies the symbolic map of a loop when a dimension with one value goes.

// CHECK: #[[MAP:.*]] = #xla_gpu.indexing_map<"(d0)[s0] -> (d0 * 3 + s0 + 5), domain: d0 in [0, 9], s0 in [0, 3], d0 + s0 in [0, 7]">
// AFFINE: #[[MAP:.*]] = #xla_gpu.indexing_map<"(d0)[s0] -> (d0 * 3 + s0 + 5), domain: d0 in [0, 9], s0 in [0, 3], d0 + 5 in [0, 20], d0 + s0 + 5 in [5, 12]">
#map = #xla_gpu.indexing_map<"(d0, d1)[s0] -> (d0 * 2 + d0 + s0 + d1), domain: d0 in [0, 9], d1 in [0, 9], s0 in [0, 3], d0 + d1 in [0, 20], d0 + s0 + d1 in [5, 12]">

// CHECK-LABEL: func.func @loop(
// CHECK:         xla_gpu.loop (%arg0)[%{{.*}}] -> (%{{.*}}) in #[[MAP]]
// AFFINE-LABEL: func.func @loop(
// AFFINE:         xla_gpu.loop (%arg0)[%{{.*}}] -> (%{{.*}}) in #[[MAP]]
func.func @loop(%i: index, %x: index) -> index {
  %five = arith.constant 5 : index
  %0 = xla_gpu.loop (%i, %five)[%j] -> (%k) in #map iter_args(%y = %x) -> (index) {
    %1 = arith.addi %y, %k : index
    xla_gpu.yield %1 : index
  }
  func.return %0 : index
}
