// RUN: xshardy-opt %s -p sdy-resolve-single-device-sharding | filecheck %s

sdy.mesh @third = <[], device_ids=[3]>

// Without other devices there is nobody to share with.
// CHECK-LABEL: @no_other_devices(
// CHECK-NEXT: stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@third, []>]>}
// CHECK-NEXT: return
func.func @no_other_devices(%t: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %t {sdy.sharding = #sdy.sharding_per_value<[<@third, []>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
