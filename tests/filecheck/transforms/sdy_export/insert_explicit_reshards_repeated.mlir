// RUN: xshardy-opt %s -p 'sdy-insert-explicit-reshards{enable-full-version=true},sdy-insert-explicit-reshards{enable-full-version=true}' | filecheck %s

// The pass inserts nothing where it has run before: an operation that reduces its operand does not need it reduced.

sdy.mesh @mesh = <["y"=4, "z"=2]>

// CHECK-LABEL: func.func @unreduced_result
// CHECK:         %[[PART:.*]] = stablehlo.reduce
// CHECK-NEXT:    %[[SUM:.*]] = sdy.all_reduce {"y", "z"} %[[PART]] out_sharding=<@mesh, [{}]>
// CHECK-NEXT:    return %[[SUM]]
func.func @unreduced_result(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "z"}, {}]>}) -> tensor<8xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"y", "z"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @scattered
// CHECK:         %[[PART:.*]] = stablehlo.reduce
// CHECK-NEXT:    %[[SUM:.*]] = sdy.reduce_scatter [{"y"}] %[[PART]] out_sharding=<@mesh, [{"y"}]>
// CHECK-NEXT:    return %[[SUM]]
func.func @scattered(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = sdy.reduce_scatter [{"y"}] %0 out_sharding=<@mesh, [{"y"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
