// RUN: xshardy-opt %s -p canonicalize | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
sdy.mesh @one = <["x"=1, "y"=2]>

// Inputs that the body does not read are dropped.
// CHECK-LABEL: @unread_input(
// CHECK-NEXT: %{{.*}} = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"a", "b"} (%arg2: tensor<4xf32>) {
// CHECK-NEXT: %{{.*}} = stablehlo.tanh %arg2 : tensor<4xf32>
// CHECK-NEXT: sdy.return %{{.*}} : tensor<4xf32>
// CHECK-NEXT: } : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<8xf32>
func.func @unread_input(%arg0: tensor<16xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"a"}]>, <@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"a", "b"} (%arg2: tensor<8xf32>, %arg3: tensor<4xf32>) {
    %1 = stablehlo.tanh %arg3 : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<16xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// All inputs are read.
// CHECK-LABEL: @read_inputs(
// CHECK-NEXT: %{{.*}} = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
// CHECK-NEXT: %{{.*}} = stablehlo.tanh %arg1 : tensor<8xf32>
// CHECK-NEXT: sdy.return %{{.*}} : tensor<8xf32>
// CHECK-NEXT: } : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16xf32>
func.func @read_inputs(%arg0: tensor<16xf32>) -> tensor<16xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<8xf32>) {
    %1 = stablehlo.tanh %arg1 : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// A body that is manual on no axis is global code.
// CHECK-LABEL: @no_manual_axes(
// CHECK-NEXT: %{{.*}} = stablehlo.tanh %arg0 : tensor<16xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16xf32>
func.func @no_manual_axes(%arg0: tensor<16xf32>) -> tensor<16xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={} (%arg1: tensor<16xf32>) {
    %1 = stablehlo.tanh %arg1 : tensor<16xf32>
    sdy.return %1 : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// So is one that is manual on axes of size 1.
// CHECK-LABEL: @manual_axis_of_size_one(
// CHECK-NEXT: %{{.*}} = stablehlo.tanh %arg0 : tensor<16xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16xf32>
func.func @manual_axis_of_size_one(%arg0: tensor<16xf32>) -> tensor<16xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@one, [{"x", "y"}]>] out_shardings=[<@one, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<16xf32>) {
    %1 = stablehlo.tanh %arg1 : tensor<16xf32>
    sdy.return %1 : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// An empty one without values goes.
// CHECK-LABEL: @empty(
// CHECK-NEXT: return
func.func @empty() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return
  } : () -> ()
  return
}

// A body that returns its argument leaves the operand.
// CHECK-LABEL: @returns_argument(
// CHECK-NEXT: return %arg0 : tensor<16xf32>
func.func @returns_argument(%arg0: tensor<16xf32>) -> tensor<16xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={} (%arg1: tensor<16xf32>) {
    sdy.return %arg1 : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
