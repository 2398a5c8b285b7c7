// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: 'hlo.fusion' op callee @nobody is not a function of this module: define it, or name another
func.func @no_callee(%a: tensor<f32>) {
  %0 = hlo.fusion loop @nobody(%a) : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: operand types 'tensor<f32>' differ from those of the callee @callee: 'tensor<f64>'
func.func private @callee(%a: tensor<f64>) -> tensor<f64> {
  func.return %a : tensor<f64>
}
func.func @operands(%a: tensor<f32>) {
  %0 = hlo.fusion loop @callee(%a) : (tensor<f32>) -> tensor<f64>
  func.return
}

// -----

// CHECK: result types none differ from those of the callee @callee: 'tensor<f64>'
func.func private @callee(%a: tensor<f64>) -> tensor<f64> {
  func.return %a : tensor<f64>
}
func.func @results(%a: tensor<f64>) {
  hlo.fusion loop @callee(%a) : (tensor<f64>) -> ()
  func.return
}

// -----

// CHECK: result 'tensor<5xf32>' has 160 bits but operand 'tensor<2x3xf32>' has 192: a bitcast keeps the size
func.func @bitcast(%a: tensor<2x3xf32>) {
  %0 = hlo.bitcast %a : (tensor<2x3xf32>) -> tensor<5xf32>
  func.return
}

// -----

// CHECK: requires the same shape for all operands and results
func.func @copy(%a: tensor<2x3xf32>) {
  %0 = hlo.copy %a : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return
}

// -----

// CHECK: the operand has at least one dimension
func.func @largest_of_a_scalar(%a: tensor<f32>) {
  %0:2 = "hlo.topk"(%a) <{k = 2 : i64, largest = true}> : (tensor<f32>) -> (tensor<2xf32>, tensor<2xi32>)
  func.return
}

// -----

// CHECK: result 'tensor<3xf32>' has not the shape [2]
func.func @shape_of_the_largest(%a: tensor<8xf32>) {
  %0:2 = "hlo.topk"(%a) <{k = 2 : i64, largest = true}> : (tensor<8xf32>) -> (tensor<3xf32>, tensor<3xi32>)
  func.return
}

// -----

// CHECK: values 'tensor<2xf64>' have not the element type of 'tensor<8xf32>'
func.func @elements_of_the_largest(%a: tensor<8xf32>) {
  %0:2 = "hlo.topk"(%a) <{k = 2 : i64, largest = true}> : (tensor<8xf32>) -> (tensor<2xf64>, tensor<2xi32>)
  func.return
}

// -----

// CHECK: takes a size for each of the 2 dimensions, got 1
func.func @sizes(%a: tensor<8xf32>, %i: tensor<i32>) {
  %0 = "hlo.dynamic_reshape"(%a, %i) : (tensor<8xf32>, tensor<i32>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: carries 3 values, but takes 1 operand(s)
func.func @carries(%a: tensor<8xf32>) {
  %0 = "hlo.scan"(%a) <{to_apply = @f, dimensions = array<i64: 0>, num_carries = 3 : i64}> : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: the operands are the parts of the result, in order
func.func @parts(%a: tensor<f32>) {
  %0 = "hlo.tuple_constant"(%a) : (tensor<f32>) -> tuple<tensor<f32>, tensor<f32>>
  func.return
}

// -----

// CHECK: takes input, output, input offsets, send sizes, output offsets and receive sizes, got 1 operand(s)
func.func @ragged(%a: tensor<8xf32>) {
  %0 = "hlo.ragged_all_to_all"(%a) <{replica_groups = "{}"}> : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: operand is 'tuple<tensor<f32>>' but result is 'tuple<tensor<f64>>': they are one
func.func @copied_tuple(%a: tuple<tensor<f32>>) {
  %0 = hlo.copy %a : (tuple<tensor<f32>>) -> tuple<tensor<f64>>
  func.return
}

// -----

// CHECK: operand is 'tensor<f32>' but result is 'tensor<f64>': they are one
func.func @domain(%a: tensor<f32>) {
  %0 = "hlo.domain"(%a) <{domain = "{}"}> : (tensor<f32>) -> tensor<f64>
  func.return
}

// -----

// CHECK: takes two tensors and the factors of each, got 1 operand(s)
func.func @factors(%a: tensor<f32>) {
  %0 = "hlo.scaled_dot"(%a) : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: operands and result have one shape
func.func @random_bits(%a: tensor<8xf32>, %b: tensor<4xui32>) {
  %0 = "hlo.stochastic_convert"(%a, %b) : (tensor<8xf32>, tensor<4xui32>) -> tensor<8xi8>
  func.return
}
