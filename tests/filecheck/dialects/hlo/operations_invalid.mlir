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
