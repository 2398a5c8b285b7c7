// RUN: xshardy-opt %s -p sdy-basic-propagate --split-input-file | filecheck %s

// Members of a group begin with the sharding that one of them has.
// CHECK-LABEL: func.func @initial
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %arg2: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}) {
// CHECK-NEXT:  sdy.sharding_group %arg0 group_id=0 : tensor<8x4xf32>
// CHECK-NEXT:  sdy.sharding_group %arg1 group_id=0 : tensor<8x4xf32>
// CHECK-NEXT:  sdy.sharding_group %arg2 group_id=0 : tensor<8x4xf32>
// CHECK-NEXT:  return
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @initial(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x4xf32>, %z: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}) {
  sdy.sharding_group %x group_id=0 : tensor<8x4xf32>
  sdy.sharding_group %y group_id=0 : tensor<8x4xf32>
  sdy.sharding_group %z group_id=0 : tensor<8x4xf32>
  func.return
}

// -----

// What one member gets, all get, and propagate further.
// CHECK-LABEL: func.func @later
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  %[[v1:.*]] = stablehlo.abs %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  sdy.sharding_group %[[v0]] group_id=0 : tensor<8x4xf32>
// CHECK-NEXT:  sdy.sharding_group %[[v1]] group_id=0 : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v0]], %[[v1]] : tensor<8x4xf32>, tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @later(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = stablehlo.negate %x : tensor<8x4xf32>
  %1 = stablehlo.abs %y : tensor<8x4xf32>
  sdy.sharding_group %0 group_id=0 : tensor<8x4xf32>
  sdy.sharding_group %1 group_id=0 : tensor<8x4xf32>
  func.return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// A result that gets the sharding of its group gives the other results of its operation an open one.
// CHECK-LABEL: func.func @one_of_several_results(
// CHECK-NEXT:  %{{.*}}:2 = stablehlo.custom_call @two(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {?}]>, <@mesh, [{?}]>]>} : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8xi32>)
sdy.mesh @mesh = <["a"=2]>
func.func @one_of_several_results(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}) -> (tensor<8x4xf32>, tensor<8xi32>) {
  %0:2 = stablehlo.custom_call @two(%x) : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8xi32>)
  sdy.sharding_group %x group_id=0 : tensor<8x4xf32>
  sdy.sharding_group %0#0 group_id=0 : tensor<8x4xf32>
  func.return %0#0, %0#1 : tensor<8x4xf32>, tensor<8xi32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

// The sharding of a result of the main function reaches the group of the value that is returned.
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK: stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>}
  // CHECK: stablehlo.cosine %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>}
  %0 = stablehlo.tanh %a : tensor<8x8xf32>
  %1 = stablehlo.cosine %b : tensor<8x8xf32>
  sdy.sharding_group %0 group_id=0 : tensor<8x8xf32>
  sdy.sharding_group %1 group_id=0 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
