// RUN: xshardy-opt %s -p sdy-propagate-to-func-results | filecheck %s

sdy.mesh @mesh = <["a"=2]>
sdy.mesh @device_0 = <[], device_ids=[0]>

// Results of functions are never on a single device: what is returned is copied to all of them first.
// CHECK-LABEL: func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@device_0, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func private @callee(%arg0: tensor<8xf32>) -> tensor<8xf32> {
func.func private @callee(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@device_0, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
