// RUN: xshardy-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: scan dimension of operand 0 is out of bounds
func.func @dimension(%a: tensor<3x4xf32>, %c: tensor<4xf32>) {
  %0:2 = chlo.scan(%a) inits (%c) dimension=2 {
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    stablehlo.return %x, %y : tensor<4xf32>, tensor<4xf32>
  } : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>)
  func.return
}

// -----

// CHECK: invalid scan dimension size of operand 0
func.func @size(%a: tensor<3x4xf32>, %c: tensor<4xf32>) {
  %0:2 = chlo.scan(%a) inits (%c) dimension=0 attributes {scan_dim_size = 4 : i64} {
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    stablehlo.return %x, %y : tensor<4xf32>, tensor<4xf32>
  } : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>)
  func.return
}

// -----

// CHECK: expects 2 arguments in the body, but got 1
func.func @argument_count(%a: tensor<3x4xf32>, %c: tensor<4xf32>) {
  %0:2 = chlo.scan(%a) inits (%c) dimension=0 {
  ^bb0(%x: tensor<4xf32>):
    stablehlo.return %x, %x : tensor<4xf32>, tensor<4xf32>
  } : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>)
  func.return
}

// -----

// CHECK: operand and body argument 0 are incompatible
func.func @argument_type(%a: tensor<3x4xf32>, %c: tensor<4xf32>) {
  %0:2 = chlo.scan(%a) inits (%c) dimension=0 {
  ^bb0(%x: tensor<3xf32>, %y: tensor<4xf32>):
    stablehlo.return %y, %y : tensor<4xf32>, tensor<4xf32>
  } : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>)
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<3x4xf32>', 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<4x4xf32>', 'tensor<4xf32>'
func.func @result_shape(%a: tensor<3x4xf32>, %c: tensor<4xf32>) {
  %0:2 = chlo.scan(%a) inits (%c) dimension=0 {
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    stablehlo.return %x, %y : tensor<4xf32>, tensor<4xf32>
  } : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)
  func.return
}

// -----

// CHECK: operand types must match the number of inputs and inits
func.func @operand_types(%a: tensor<3x4xf32>, %c: tensor<4xf32>) {
  %0:2 = chlo.scan(%a) inits (%c) dimension=0 {
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    stablehlo.return %x, %y : tensor<4xf32>, tensor<4xf32>
  } : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>)
  func.return
}

// -----

// CHECK: not enough result types to cover the required carries
func.func @result_types(%a: tensor<3x4xf32>, %c: tensor<4xf32>) {
  chlo.scan(%a) inits (%c) dimension=0 {
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    stablehlo.return %x, %y : tensor<4xf32>, tensor<4xf32>
  } : (tensor<3x4xf32>, tensor<4xf32>) -> ()
  func.return
}

// -----

// CHECK: at least one of inputs or outputs must be present
func.func @nothing(%c: tensor<f32>) {
  %0 = chlo.scan() inits (%c) dimension=0 {
  ^bb0(%y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  } : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: ScanOp body must return at least 1 values (carries)
func.func @no_carries(%x: tensor<2x3xf32>, %c: tensor<3xf32>) {
  %0:2 = "chlo.scan"(%x, %c) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    "stablehlo.return"() : () -> ()
  }) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  func.return
}

// -----

// CHECK: terminator operand 0 is not ranked
func.func @returns_a_token(%x: tensor<2x3xf32>, %c: tensor<3xf32>) {
  %0:2 = "chlo.scan"(%x, %c) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    %t = stablehlo.after_all : !stablehlo.token
    "stablehlo.return"(%t, %b) : (!stablehlo.token, tensor<3xf32>) -> ()
  }) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  func.return
}

// -----

// CHECK: custom op 'chlo.scan' expected function type
func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) {
  %0:2 = chlo.scan(%x) inits (%i) dimension=0 {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  } : tensor<4xf32>
  func.return
}
