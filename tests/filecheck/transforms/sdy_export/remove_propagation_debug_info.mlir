// RUN: xshardy-opt %s -p sdy-remove-propagation-debug-info | filecheck %s

sdy.mesh @mesh = <["a"=2]>

// CHECK-LABEL: @everywhere(
// CHECK-SAME: %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT: %0 = stablehlo.add %arg0, %arg1 {mine = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK-NEXT: return
func.func @everywhere(
    %x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>, sdy.sharding_origins = {a = "self"}},
    %y: tensor<8xf32> {sdy.sharding_origins = {}}) -> (tensor<8xf32> {sdy.sharding_origins = {a = "input: 0"}}) {
  %0 = stablehlo.add %x, %y {mine = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>,
      sdy.sharding_origins = [{a = "input: 0"}],
      sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The records that a function itself carries are of nobody's sharding.
// CHECK-LABEL: @of_the_function() attributes {sdy.sharding_origins = {}}
func.func @of_the_function() attributes {sdy.sharding_origins = {}} {
  return
}
