// RUN: xshardy-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: expects window-dimensions size == input rank, but got window-dimensions size: 1 and input: 'tensor<4x4xf32>' with rank = 2.
func.func @window_rank(%a: tensor<4x4xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: expects window to have positive value for 1-th window dimension, but got 0.
func.func @zero_size(%a: tensor<4x4xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: expects window-strides to have same dimension-size as size of window dimensions (2), but got: 1.
func.func @strides(%a: tensor<4x4xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: expects window to have positive stride for 1-th window dimension, but got 0.
func.func @zero_stride(%a: tensor<4x4xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: expects base-dilation factors to have same dimension-size as size of window dimensions (2), but got: 1.
func.func @base_dilations(%a: tensor<4x4xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 2>, base_dilations = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: expects window to have positive base dilation factor for 0-th window dimension, but got 0.
func.func @zero_base_dilation(%a: tensor<4x4xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 2>, base_dilations = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: expects window-dilation factors to have same dimension-size as size of window dimensions (2), but got: 1.
func.func @window_dilations(%a: tensor<4x4xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 2>, window_dilations = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: expects window to have positive window dilation factor for 0-th window dimension, but got 0.
func.func @zero_window_dilation(%a: tensor<4x4xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 2>, window_dilations = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: expects padding-entries to have same dimension-size as size of window dimensions (2), but got: 3.
func.func @padding_entries(%a: tensor<4x4xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 2>, padding = dense<0> : tensor<3x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: expects the shape of padding-attribute to be {N, 2}, but got {4}.
func.func @padding_shape(%a: tensor<4x4xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 2>, padding = dense<0> : tensor<4xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: Reduction-region must take 2 parameters, but takes 1 parameter(s)
func.func @argument_count(%a: tensor<4x4xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<3x3xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>'
func.func @result_shape(%a: tensor<4x4xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expects all inputs to have compatible shapes. Shape at input-index 1 is not compatible with shape at input-index 0
func.func @input_shapes(%a: tensor<4xf32>, %b: tensor<3xf32>, %i: tensor<f32>) {
  %0:2 = "stablehlo.reduce_window"(%a, %b, %i, %i) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %w: tensor<f32>):
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) : (tensor<4xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
  func.return
}

// -----

// CHECK: requires at least 1 input value
func.func @no_inputs() {
  "stablehlo.reduce_window"() ({
  ^bb0:
    "stablehlo.return"() : () -> ()
  }) {window_dimensions = array<i64: 1>} : () -> ()
  func.return
}
