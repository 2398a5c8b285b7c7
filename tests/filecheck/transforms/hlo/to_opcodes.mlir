// RUN: xshardy-opt %s -p hlo-to-opcodes | filecheck %s

// CHECK-LABEL: func.func private @no_opcode
// CHECK-NEXT:    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
// CHECK-NEXT:    return %0 : tensor<f32>
func.func private @no_opcode(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<f32> {
  %0 = stablehlo.dot %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func private @repeated_one
// CHECK-NEXT:    %[[R:.*]] = stablehlo.reshape %arg0 : (tensor<4x1xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %{{.*}} = stablehlo.broadcast_in_dim %[[R]], dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
func.func private @repeated_one(%a: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @region
// CHECK:         stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] {hlo.to_apply = @region.0}
func.func @region(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// What has an opcode already stays as it is.
// CHECK-LABEL: func.func private @opcode
// CHECK-NEXT:    %0 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>
func.func private @opcode(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.erf %a : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The computation that the reduction names.
// CHECK:       func.func private @region.0(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
