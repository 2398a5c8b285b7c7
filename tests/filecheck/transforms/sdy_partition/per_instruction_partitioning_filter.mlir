// RUN: xshardy-opt %s -p 'sdy-per-instruction-partitioning{filter="selectLow=1, selectHigh=2"}' | filecheck %s --check-prefix=RANGE
// RUN: xshardy-opt %s -p 'sdy-per-instruction-partitioning{filter="negate,selectLow=1"}' | filecheck %s --check-prefix=BOTH

sdy.mesh @mesh = <["x"=2]>

// RANGE: stablehlo.abs %arg0
// RANGE: sdy.manual_computation
// RANGE-NEXT: stablehlo.negate
// RANGE: sdy.manual_computation
// RANGE-NEXT: stablehlo.abs
// RANGE-NOT: sdy.manual_computation
// BOTH: stablehlo.abs %arg0
// BOTH: sdy.manual_computation
// BOTH-NEXT: stablehlo.negate
// BOTH: stablehlo.abs
// BOTH: sdy.manual_computation
// BOTH-NEXT: stablehlo.negate
func.func @numbered(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.abs %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  %2 = stablehlo.abs %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  %3 = stablehlo.negate %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  return %3 : tensor<4xf32>
}
