// RUN: xshardy-opt %s -p sdy-propagation-pipeline | filecheck %s

// A call is looked into, a constraint is applied, and rules stay.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b", ?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8x4xf32>) {
// CHECK-NEXT:    %[[v1:.*]] = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"a", ?}, {"b", ?}]> : tensor<8x4xf32>
// CHECK-NEXT:    %[[v2:.*]] = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} dense<1.000000e+00> : tensor<8x4xf32>
// CHECK-NEXT:    %[[v3:.*]] = stablehlo.add %[[v1]], %[[v2]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=4}>} : tensor<8x4xf32>
// CHECK-NEXT:    sdy.return %[[v3]] : tensor<8x4xf32>
// CHECK-NEXT:  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:  %[[v4:.*]] = sdy.data_flow_edge %[[v0]] sharding=<@mesh, [{"a", ?}, {"b", ?}]> : tensor<8x4xf32>
// CHECK-NEXT:  %[[v5:.*]] = sdy.sharding_constraint %[[v4]] <@mesh, [{"a", ?}, {"b"}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>} : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v5]] : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}) -> tensor<8x4xf32> {
  %0 = func.call @f(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {"b"}]> : tensor<8x4xf32>
  func.return %1 : tensor<8x4xf32>
}
func.func private @f(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8x4xf32>
  %0 = stablehlo.add %x, %c : tensor<8x4xf32>
  func.return %0 : tensor<8x4xf32>
}
