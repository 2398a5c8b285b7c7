// RUN: xshardy-opt %s -p sdy-propagation-pipeline | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>

// Shardings go into calls and out of them, and are closed in the end. No rule, edge or group is left.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
// CHECK-NEXT:    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:    %1 = sdy.reshard %0 <@mesh, [{"a"}, {"b"}]> : tensor<8x4xf32>
// CHECK-NEXT:    %2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} %1 : tensor<8x4xf32>
// CHECK-NEXT:    return %2 : tensor<8x4xf32>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}) -> tensor<8x4xf32> {
  %0 = func.call @f(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {"b"}]> : tensor<8x4xf32>
  %2 = stablehlo.optimization_barrier %1 : tensor<8x4xf32>
  sdy.sharding_group %2 group_id=7 : tensor<8x4xf32>
  func.return %2 : tensor<8x4xf32>
}
// CHECK-LABEL: func.func private @f
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
// CHECK-NEXT:    %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} dense<1.000000e+00> : tensor<8x4xf32>
// CHECK-NEXT:    %1 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:    return %1 : tensor<8x4xf32>
func.func private @f(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8x4xf32>
  %0 = stablehlo.add %x, %c : tensor<8x4xf32>
  func.return %0 : tensor<8x4xf32>
}
