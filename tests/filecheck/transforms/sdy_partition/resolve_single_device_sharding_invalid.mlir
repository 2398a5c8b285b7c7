// RUN: xshardy-opt %s -p sdy-resolve-single-device-sharding --split-input-file --verify-diagnostics | filecheck %s
// RUN: xshardy-opt %s -p "sdy-resolve-single-device-sharding{replica-count=2 partition-count=2}" --split-input-file --verify-diagnostics | filecheck %s --check-prefix COUNTS

// COUNTS: devices are numbered by replica or by partition: leave one of the counts at 1

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @zeroth = <[], device_ids=[0]>
sdy.mesh @first = <[], device_ids=[1]>
// CHECK: 'stablehlo.custom_call' op has conflicting single-device result shardings
func.func @two_devices(%t: tensor<8xf32>) {
  %0:2 = stablehlo.custom_call @f(%t) {sdy.sharding = #sdy.sharding_per_value<[<@zeroth, []>, <@first, []>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @zeroth = <[], device_ids=[0]>
// CHECK: 'stablehlo.custom_call' op has a result on device 0 alone, and one that is divided among devices: reshard the second after the operation
func.func @divided(%t: tensor<8xf32>) {
  %0:2 = stablehlo.custom_call @f(%t) {sdy.sharding = #sdy.sharding_per_value<[<@zeroth, []>, <@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @zeroth = <[], device_ids=[0]>
// CHECK: 'stablehlo.custom_call' op makes a tensor<?xf32>, of which no zeros can be written for the other devices
func.func @dynamic_shape(%t: tensor<8xf32>) {
  %0 = stablehlo.custom_call @f(%t) {sdy.sharding = #sdy.sharding_per_value<[<@zeroth, []>]>} : (tensor<8xf32>) -> tensor<?xf32>
  return
}
