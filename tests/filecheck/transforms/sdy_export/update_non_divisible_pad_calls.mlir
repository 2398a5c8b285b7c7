// RUN: xshardy-opt %s -p "sdy-update-non-divisible-input-output-shardings{pad-calls=true}" | filecheck %s

sdy.mesh @mesh = <["a"=4]>

// A private function and its calls keep their shardings; a public one, and one that nothing calls, do not.
// CHECK-LABEL: @main(
// CHECK-SAME: %arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}]>}
// CHECK:      call @private(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK:      call @public(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2}]>]>}
func.func @main(%x: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<6xf32>, tensor<6xf32>) {
  %0 = call @private(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
  %1 = call @public(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
  return %0, %1 : tensor<6xf32>, tensor<6xf32>
}
// CHECK: func.func private @private(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
func.func private @private(%x: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<6xf32> {
  return %x : tensor<6xf32>
}
// CHECK: func.func @public(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}]>})
func.func @public(%x: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<6xf32> {
  return %x : tensor<6xf32>
}
// CHECK: func.func private @unused(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}]>})
func.func private @unused(%x: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<6xf32> {
  return %x : tensor<6xf32>
}
