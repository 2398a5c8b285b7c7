// RUN: xshardy-opt %s -p xla-sdy-import-shardings | filecheck %s

// A function without a body has shardings as any other. A uniform sharding is that of all results.
// CHECK:       func.func private @declared(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
func.func private @declared(tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> (tensor<8xf32> {mhlo.sharding = "{replicated}"})
// CHECK-LABEL: func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}]>}) {
// CHECK-NEXT:    %0 = stablehlo.custom_call @g(%arg0) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    stablehlo.custom_call @h(%arg0) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : (tensor<8xf32>) -> ()
// CHECK-NEXT:    %1:2 = stablehlo.custom_call @k(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>)
// CHECK-NEXT:    return
func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
  %0 = stablehlo.custom_call @g(%x) {has_side_effect = true, mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
  stablehlo.custom_call @h(%x) {has_side_effect = true, mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> ()
  %1:2 = stablehlo.custom_call @k(%x) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>)
  return
}
