// RUN: xshardy-opt %s -p sdy-insert-explicit-reshards | filecheck %s

sdy.mesh @mesh = <["a"=2]>
sdy.mesh @other = <["b"=2]>
sdy.mesh @device_0 = <[], device_ids=[0]>
sdy.mesh @device_1 = <[], device_ids=[1]>

// What the operation reads moves to its device, from all of them; what it makes is copied to all, and divided.
// CHECK-LABEL: func.func @divided
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{}]>
// CHECK-NEXT:    %1 = sdy.reshard %0 <@device_0, []>
// CHECK-NEXT:    %2 = sdy.reshard %arg1 <@device_0, []>
// CHECK-NEXT:    %3 = sdy.reshard %arg2 <@mesh, [{}]>
// CHECK-NEXT:    %4 = sdy.reshard %3 <@device_0, []>
// CHECK-NEXT:    %5:2 = stablehlo.custom_call @f(%1, %2, %4) {sdy.sharding = #sdy.sharding_per_value<[<@device_0, []>, <@device_0, []>]>}
// CHECK-NEXT:    %6 = sdy.reshard %5#0 <@mesh, [{}]>
// CHECK-NEXT:    %7 = sdy.reshard %5#1 <@mesh, [{}]>
// CHECK-NEXT:    %8 = sdy.reshard %7 <@mesh, [{"a"}]>
// CHECK-NEXT:    %9 = stablehlo.add %6, %8
// CHECK-NEXT:    return %9
func.func @divided(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>, %z: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{}]>}) -> tensor<8xf32> {
  %0:2 = stablehlo.custom_call @f(%x, %y, %z) {sdy.sharding = #sdy.sharding_per_value<[<@device_0, []>, <@mesh, [{"a"}]>]>} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = stablehlo.add %0#0, %0#1 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// From one device to another the way leads over all of them.
// CHECK-LABEL: func.func @from_device_to_device
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@device_0, []>
// CHECK-NEXT:    %1 = stablehlo.custom_call @f(%0) {sdy.sharding = #sdy.sharding_per_value<[<@device_0, []>]>}
// CHECK-NEXT:    %2 = sdy.reshard %1 <@mesh, [{}]>
// CHECK-NEXT:    %3 = sdy.reshard %2 <@device_1, []>
// CHECK-NEXT:    %4 = stablehlo.custom_call @g(%3) {sdy.sharding = #sdy.sharding_per_value<[<@device_1, []>]>}
// CHECK-NEXT:    %5 = sdy.reshard %4 <@mesh, [{}]>
// CHECK-NEXT:    return %5
func.func @from_device_to_device(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@device_0, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @g(%0) {sdy.sharding = #sdy.sharding_per_value<[<@device_1, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Tokens are not moved, and keep their sharding.
// CHECK-LABEL: func.func @tokens
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@device_0, []>
// CHECK-NEXT:    %1:3 = stablehlo.custom_call @f(%0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@device_0, []>, <@device_0, []>, <@mesh, []>]>}
// CHECK-NEXT:    %2 = sdy.reshard %1#0 <@mesh, [{}]>
// CHECK-NEXT:    return %2, %1#1, %1#2
func.func @tokens(%x: tensor<8xf32>, %t: !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token, !stablehlo.token) {
  %0:3 = stablehlo.custom_call @f(%x, %t) {sdy.sharding = #sdy.sharding_per_value<[<@device_0, []>, <@device_0, []>, <@mesh, []>]>} : (tensor<8xf32>, !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token, !stablehlo.token)
  func.return %0#0, %0#1, %0#2 : tensor<8xf32>, !stablehlo.token, !stablehlo.token
}

// A result that is wanted replicated is so after one step.
// CHECK-LABEL: func.func @replicated
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@device_0, []>
// CHECK-NEXT:    %1:2 = stablehlo.custom_call @f(%0) {sdy.sharding = #sdy.sharding_per_value<[<@device_0, []>, <@device_0, []>]>}
// CHECK-NEXT:    %2 = sdy.reshard %1#0 <@mesh, [{}]>
// CHECK-NEXT:    %3 = sdy.reshard %1#1 <@mesh, [{}]>
// CHECK-NEXT:    %4 = sdy.reshard %3 <@device_0, []>
// CHECK-NEXT:    %5 = stablehlo.custom_call @f(%4) {sdy.sharding = #sdy.sharding_per_value<[<@device_0, []>]>}
// CHECK-NEXT:    %6 = sdy.reshard %5 <@mesh, [{}]>
// CHECK-NEXT:    return %6
func.func @replicated(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
  %0:2 = stablehlo.custom_call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@device_0, []>, <@mesh, [{}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = stablehlo.custom_call @f(%0#1) {sdy.sharding = #sdy.sharding_per_value<[<@device_0, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}
