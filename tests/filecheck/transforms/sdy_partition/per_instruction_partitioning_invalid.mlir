// RUN: xshardy-opt %s -p sdy-per-instruction-partitioning --split-input-file --verify-diagnostics | filecheck %s

// The partial result has a reader beside its reduction.
// CHECK: error: 'stablehlo.dot' op has partial results, and not exactly one reduction of them: it cannot be partitioned alone
sdy.mesh @mesh = <["x"=2]>

func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %y: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x2xf32>
  return %0, %1 : tensor<8x2xf32>, tensor<8x2xf32>
}

// -----

// CHECK: error: 'stablehlo.add' op has values over different meshes
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @other = <["y"=2]>

func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"y"}]>}) {
  %0 = stablehlo.add %x, %y : tensor<8xf32>
  return
}

// -----

// What the partitioner refuses is refused here, at the operation.
// CHECK: error: failed to legalize operation 'arith.negf'
sdy.mesh @mesh = <["x"=2]>

func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = arith.negf %x : tensor<8xf32>
  return
}
