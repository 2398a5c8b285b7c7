// RUN: xshardy-opt %s -p xla-sdy-round-trip-testing-pipeline --split-input-file | filecheck %s

// All of it survives HLO, which has no regions, no captured values and no attributes of results. A constant is cloned into
// each region that reads it.
// CHECK:       sdy.mesh @mesh = <["a"=2, "b"=4]>
// CHECK-NEXT:  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p1]>}, %arg1: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
// CHECK:         %[[W:.*]] = stablehlo.while(%iterArg = %{{.*}}) : tensor<8xf32>
// CHECK:         cond {
// CHECK-NEXT:      %[[Z:.*]] = sdy.constant
// CHECK:           stablehlo.compare GT, %{{.*}}, %[[Z]]
// CHECK:         } do {
// CHECK:           %[[G:.*]] = sdy.sharding_constraint %iterArg <@mesh, [{?}]>
// CHECK-NEXT:      sdy.sharding_group %[[G]] group_id=2
// CHECK-NEXT:      %[[A:.*]] = stablehlo.add %[[G]], %arg1
// CHECK:         %{{.*}} = sdy.manual_computation(%[[W]]) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"} (%arg2: tensor<2xf32>) {
// CHECK:         %{{.*}} = sdy.named_computation<"f">
sdy.mesh @mesh = <["a"=2, "b"=4]>

func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p1]>}, %y: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.while(%i = %x) : tensor<8xf32> cond {
    %s = stablehlo.reduce(%i init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %p = stablehlo.compare GT, %s, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c = sdy.sharding_constraint %i <@mesh, [{?}]> : tensor<8xf32>
    sdy.sharding_group %c group_id=2 : tensor<8xf32>
    %a = stablehlo.add %c, %y : tensor<8xf32>
    stablehlo.return %a : tensor<8xf32>
  }
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"} (%z: tensor<2xf32>) {
    %n = stablehlo.negate %z : tensor<2xf32>
    sdy.return %n : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2 = func.call @f(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// XLA's importer writes an empty configuration, and the shape of a result that is no array.
// CHECK-LABEL: func.func @main(%arg0: tensor<2x4xf32>)
// CHECK-NEXT:    %{{.*}} = stablehlo.custom_call @one(%arg0) {backend_config = ""} : (tensor<2x4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %{{.*}}:2 = stablehlo.custom_call @two(%{{.*}}) {backend_config = "", xla_shape = "(f32[2,4]{1,0}, s32[])"}
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<i32>) {
  %0 = stablehlo.custom_call @one(%x) : (tensor<2x4xf32>) -> tensor<4xf32>
  %1:2 = stablehlo.custom_call @two(%0) : (tensor<4xf32>) -> (tensor<2x4xf32>, tensor<i32>)
  return %1#0, %1#1 : tensor<2x4xf32>, tensor<i32>
}

// -----

// HLO keeps only what the main function calls.
// CHECK-LABEL: func.func @main(%arg0: tensor<4xf32>)
// CHECK-NEXT:    stablehlo.negate
// CHECK-NOT:   func.func
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
