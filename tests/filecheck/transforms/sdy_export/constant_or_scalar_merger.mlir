// RUN: xshardy-opt %s -p sdy-constant-or-scalar-merger | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// CHECK-LABEL: @same
// CHECK-NEXT: %0 = sdy.constant dense<1.000000e+00>
// CHECK-NEXT: %1 = stablehlo.add %0, %0
// CHECK-NEXT: return %1
func.func @same() -> tensor<8xf32> {
  %0 = sdy.constant dense<1.0> : tensor<8xf32>
  %1 = sdy.constant dense<1.0> : tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: @same_sharding
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} dense<1.000000e+00>
// CHECK-NEXT: stablehlo.add %[[C]], %[[C]]
func.func @same_sharding() -> tensor<8xf32> {
  %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} dense<1.0> : tensor<8xf32>
  %1 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} dense<1.0> : tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// Another sharding, open or closed, another value, another attribute of any dialect: all are told apart.
// CHECK-LABEL: @different
// CHECK-NEXT: sdy.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK-NEXT: sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} dense<1.000000e+00>
// CHECK-NEXT: sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} dense<1.000000e+00>
// CHECK-NEXT: sdy.constant dense<2.000000e+00> : tensor<8xf32>
// CHECK-NEXT: sdy.constant {note = 1 : i32} dense<1.000000e+00>
// CHECK-NEXT: return %0, %1, %2, %3, %4 :
func.func @different() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.constant dense<1.0> : tensor<8xf32>
  %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} dense<1.0> : tensor<8xf32>
  %2 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} dense<1.0> : tensor<8xf32>
  %3 = sdy.constant dense<2.0> : tensor<8xf32>
  %4 = sdy.constant {note = 1 : i32} dense<1.0> : tensor<8xf32>
  return %0, %1, %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// The same constant, whichever dialect writes it.
// CHECK-LABEL: @two_dialects
// CHECK-NEXT: %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK-NEXT: return %0, %0
func.func @two_dialects() -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.constant dense<1.0> : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Broadcasts of one scalar, whether it is a constant or not, and then of what has just become one scalar.
// CHECK-LABEL: @broadcasts
// CHECK-NEXT: %0 = stablehlo.broadcast_in_dim %arg0, dims = []
// CHECK-NEXT: %1 = stablehlo.broadcast_in_dim %arg0, dims = [] {sdy.sharding
// CHECK-NEXT: %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %3 = sdy.constant dense<1.000000e+00>
// CHECK-NEXT: %4 = stablehlo.broadcast_in_dim %3, dims = []
// CHECK-NEXT: return %0, %0, %1, %2, %4, %4
func.func @broadcasts(%x: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %x, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<f32>) -> tensor<8xf32>
  %3 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %4 = sdy.constant dense<1.0> : tensor<f32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %6 = sdy.constant dense<1.0> : tensor<f32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<8xf32>
  return %0, %1, %2, %3, %5, %7 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>
}

// What is computed from constants, other than by a broadcast of a scalar, is not looked at.
// CHECK-LABEL: @not_merged
// CHECK-COUNT-2: stablehlo.iota
// CHECK-COUNT-2: stablehlo.broadcast_in_dim %arg0, dims = [0]
// CHECK: return %0, %1, %2, %3
func.func @not_merged(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x2xf32>, tensor<8x2xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = stablehlo.iota dim = 0 : tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<8xf32>) -> tensor<8x2xf32>
  %3 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<8xf32>) -> tensor<8x2xf32>
  return %0, %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8x2xf32>, tensor<8x2xf32>
}

// Each region, and each function, has its own.
// CHECK-LABEL: @regions
// CHECK-NEXT: sdy.constant
// CHECK-NEXT: sdy.manual_computation
// CHECK-NEXT: sdy.constant
// CHECK-NEXT: stablehlo.add %[[X:.*]], %[[X]]
func.func @regions() -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.constant dense<1.0> : tensor<8xf32>
  %1 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{}], replicated={"a"}>] manual_axes={"a"} () {
    %2 = sdy.constant dense<1.0> : tensor<8xf32>
    %3 = sdy.constant dense<1.0> : tensor<8xf32>
    %4 = stablehlo.add %2, %3 : tensor<8xf32>
    sdy.return %4 : tensor<8xf32>
  } : () -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
