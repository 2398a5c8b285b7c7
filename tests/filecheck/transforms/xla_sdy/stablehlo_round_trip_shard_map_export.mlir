// RUN: xshardy-opt %s -p xla-sdy-stablehlo-round-trip-shard-map-export --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p 'xla-sdy-stablehlo-round-trip-shard-map-export{create_hlo_sharding_constraints=true}' --split-input-file | filecheck %s --check-prefix CALLS

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>

// The function is called where `a` is manual, where `a` and `b` are, and where nothing is.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = mhlo.copy %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "c"}]>]>}
// CHECK-NEXT:    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}]>]>, xla.sdy.manual_axes = #sdy<manual_axes{"a"}>} : (tensor<8xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %2 = call @xla.sdy.inlinable_manual_computation_body_0(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, xla.sdy.manual_axes = #sdy<manual_axes{"a"}>}
// CHECK-NEXT:    %3 = mhlo.copy %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, xla.sdy.manual_axes = #sdy<manual_axes{"a"}>}
// CHECK-NEXT:    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<4xf32>) -> tensor<8xf32>
// CHECK-NEXT:    %5 = call @f(%arg1) : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    return %4
// CALLS:         stablehlo.custom_call @Sharding(
// CALLS-NOT:     mhlo.copy
func.func @main(%x: tensor<8xf32>, %z: tensor<2xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", "c"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>) {
    %1 = sdy.manual_computation(%y) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"} (%w: tensor<2xf32>) {
      %4 = func.call @f(%w) : (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %4 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.slice %1 [0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}]>]>} : (tensor<4xf32>) -> tensor<2xf32>
    %3 = func.call @f(%2) : (tensor<2xf32>) -> tensor<2xf32>
    %5 = stablehlo.concatenate %3, %3, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    sdy.return %5 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %6 = func.call @f(%z) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<8xf32>
}
// CHECK:       func.func private @f(%arg0: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-NEXT:    stablehlo.negate %arg0 : tensor<2xf32>
// CHECK:       func.func private @f_{{[01]}}(%arg0: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, xla.sdy.manual_axes = #sdy<manual_axes{"a"{{.*}}}>})
// CHECK-NEXT:    stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, xla.sdy.manual_axes = #sdy<manual_axes{"a"
// CHECK:       func.func private @f_{{[01]}}(%arg0: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, xla.sdy.manual_axes = #sdy<manual_axes{"a"{{.*}}}>})
// CHECK:       func.func @xla.sdy.inlinable_manual_computation_body(%arg0: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, xla.sdy.manual_axes = #sdy<manual_axes{"a", "b"}>})
// CHECK-NEXT:    %0 = call @f_{{[01]}}(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, xla.sdy.manual_axes = #sdy<manual_axes{"a", "b"}>}
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

sdy.mesh @mesh = <["a"=2]>
sdy.mesh @one = <[], device_ids=[0]>

// A token has no shape to change, a computation without values is inlined, and one device is no mesh of the axes.
// CHECK-LABEL: func.func @edges
// CHECK-NEXT:    stablehlo.custom_call @print() {has_side_effect = true} : () -> ()
// CHECK-NEXT:    %0 = mhlo.copy %arg1
// CHECK-NEXT:    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0)
// CHECK-NEXT:    %2:2 = call @xla.sdy.inlinable_manual_computation_body(%arg0, %1)
// CHECK-NEXT:    %3 = mhlo.copy %2#1
// CHECK-NEXT:    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3)
// CHECK-NEXT:    return %2#0, %4
// CHECK:       func.func @xla.sdy.inlinable_manual_computation_body(
// CHECK-NEXT:    %0 = sdy.named_computation<"f">(%arg1) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] (%arg2: tensor<4xf32>) {
// CHECK-NEXT:      %1 = stablehlo.negate %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, xla.sdy.manual_axes = #sdy<manual_axes{"a"}>}
// CHECK-NEXT:      sdy.return {xla.sdy.manual_axes = #sdy<manual_axes{"a"}>} %1
// CHECK-NEXT:    } {xla.sdy.manual_axes = #sdy<manual_axes{"a"}>}
func.func @edges(%t: !stablehlo.token, %x: tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32>) {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    stablehlo.custom_call @print() {has_side_effect = true} : () -> ()
    sdy.return
  } : () -> ()
  %0:2 = sdy.manual_computation(%t, %x) in_shardings=[<@mesh, []>, <@mesh, [{"a"}]>] out_shardings=[<@mesh, []>, <@mesh, [{"a"}]>] manual_axes={"a"} (%u: !stablehlo.token, %y: tensor<4xf32>) {
    %1 = sdy.named_computation<"f">(%y) (%z: tensor<4xf32>) {
      %2 = stablehlo.negate %z {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<4xf32>
      sdy.return %2 : tensor<4xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %u, %1 : !stablehlo.token, tensor<4xf32>
  } : (!stablehlo.token, tensor<8xf32>) -> (!stablehlo.token, tensor<8xf32>)
  return %0#0, %0#1 : !stablehlo.token, tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=2]>

// Called first where `a` is manual and last where `b` is, a function keeps its name for the calls where nothing is.
// What has no result has one sharding; a body without results is marked with the mesh of its operands.
// CHECK-LABEL: func.func @main
// CHECK:         call @xla.sdy.inlinable_manual_computation_body_0(%6) {sdy.sharding = #sdy.sharding_per_value<[]>, xla.sdy.manual_axes = #sdy<manual_axes{"b"}>} : (tensor<4xf32>) -> ()
// CHECK-LABEL: func.func @not_manual(%arg0: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:    %0 = call @f(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-LABEL: func.func @xla.sdy.inlinable_manual_computation_body(
// CHECK-NEXT:    %0 = call @f_0(%arg0)
// CHECK-LABEL: func.func @xla.sdy.inlinable_manual_computation_body_0(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, xla.sdy.manual_axes = #sdy<manual_axes{"b"}>}) {
// CHECK-NEXT:    stablehlo.custom_call @print(%arg0) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>, xla.sdy.manual_axes = #sdy<manual_axes{"b"}>}
func.func private @declared_and_not_called(tensor<8xf32>) -> tensor<8xf32>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>) {
    %2 = func.call @f(%y) : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %2 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  sdy.manual_computation(%0) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[] manual_axes={"b"} (%y: tensor<4xf32>) {
    stablehlo.custom_call @print(%y) {has_side_effect = true} : (tensor<4xf32>) -> ()
    sdy.return
  } : (tensor<8xf32>) -> ()
  return %0 : tensor<8xf32>
}
func.func @not_manual(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @manual_again(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"} (%y: tensor<4xf32>) {
    %2 = func.call @f(%y) : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %2 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Calls stay as they are where nothing is manual.
// CHECK-LABEL: func.func @nothing_manual(%arg0: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = call @g(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    return %0 : tensor<8xf32>
func.func @nothing_manual(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
