// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: mu and sigma must be floats
func.func @normal_integers(%a: tensor<i32>, %s: tensor<1xi64>) {
  %0 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<?xi32>
  func.return
}

// -----

// CHECK: mu and sigma must be floats
func.func @normal_with_an_integer(%a: tensor<f32>, %b: tensor<i32>, %s: tensor<1xi64>) {
  %0 = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f32>, tensor<i32>, tensor<1xi64>) -> tensor<?xf32>
  func.return
}

// -----

// CHECK: mu and sigma must be floats
func.func @normal_around_an_integer(%a: tensor<i32>, %b: tensor<f32>, %s: tensor<1xi64>) {
  %0 = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<i32>, tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
  func.return
}

// -----

// CHECK: failed to verify that all of {a, b, result} have same element type
func.func @elements(%a: tensor<f32>, %b: tensor<f64>, %s: tensor<1xi64>) {
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f64>, tensor<1xi64>) -> tensor<?xf64>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'
func.func @shape(%a: tensor<f32>) {
  %s = stablehlo.constant dense<4> : tensor<1xi64>
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<5xf32>
  func.return
}

// -----

// CHECK: operand #0 must be 0D tensor of
func.func @bound_is_a_vector(%a: tensor<1xf32>, %b: tensor<f32>, %s: tensor<1xi64>) {
  %0 = "stablehlo.rng"(%a, %b, %s) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<1xf32>, tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
  func.return
}

// -----

// CHECK: output state shape must be compatible with initial state shape. Got: 'tensor<2xui64>' and 'tensor<3xui64>'
func.func @state(%a: tensor<2xui64>) {
  %0:2 = stablehlo.rng_bit_generator %a, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  func.return
}

// -----

// CHECK: result #1 must be statically shaped tensor of
func.func @output_is_static(%a: tensor<2xui64>) {
  %0:2 = "stablehlo.rng_bit_generator"(%a) <{rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<?xui32>)
  func.return
}
