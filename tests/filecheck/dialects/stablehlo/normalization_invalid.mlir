// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: expects featureIndex to be smaller than the rank of multi-dimensional operands; got featureIndex 2, and rank 2.
func.func @feature_index(%a: tensor<2x3xf32>, %f: tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%a, %f, %f) <{epsilon = 1.0e-03 : f32, feature_index = 2 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----

// CHECK: attribute 'feature_index' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative
func.func @negative_feature_index(%a: tensor<2x3xf32>, %f: tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%a, %f, %f) <{epsilon = 1.0e-03 : f32, feature_index = -1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----

// CHECK: the size of single-dimensional operands is 4 and the feature count is 3.
func.func @feature_count(%a: tensor<2x3xf32>, %f: tensor<4xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%a, %f, %f, %f, %f) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expects multi-dimensional operands to have compatible shapes.
func.func @gradient_of_other_shape(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>, %f: tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%a, %f, %f, %f, %b) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----

// CHECK: expects single-dimensional operands to have compatible shapes.
func.func @features_of_other_shape(%a: tensor<2x3xf32>, %f: tensor<3xf32>, %g: tensor<2xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%a, %f, %g, %f, %f) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: operand #1 must be 1D tensor of 4/6/8/16/32/64-bit float
func.func @scale_of_rank_two(%a: tensor<2x3xf32>, %f: tensor<3xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%a, %a, %f, %f, %f) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: requires compatible element types for all operands and results
func.func @elements(%a: tensor<2x3xf32>, %f: tensor<3xf64>) {
  %0 = "stablehlo.batch_norm_inference"(%a, %f, %f, %f, %f) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2x3xf32>', 'tensor<3xf32>', 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>', 'tensor<3xf32>', 'tensor<2xf32>'
func.func @result(%a: tensor<2x3xf32>, %f: tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%a, %f, %f) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>)
  func.return
}
