// RUN: xshardy-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: region must contain exactly one operation and a return
func.func @too_few(%a: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%b: tensor<4xf32>):
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  func.return
}

// -----

// CHECK: region must contain a collective or slice operation
func.func @arithmetic(%a: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%b: tensor<4xf32>):
    %1 = stablehlo.negate %b : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  func.return
}

// -----

// CHECK: number of operands (1) must match number of region arguments (2)
func.func @arguments(%a: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%b: tensor<4xf32>, %d: tensor<4xf32>):
    %c = stablehlo.slice %b [0:4] : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %c : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  func.return
}

// -----

// CHECK: operand type 'tensor<4xf32>' at index 0 must match region argument type 'tensor<?xf32>'
func.func @argument_type(%a: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%b: tensor<?xf32>):
    %1 = stablehlo.slice %b [0:2] : (tensor<?xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>
  func.return
}

// -----

// CHECK: inferred type(s) '!stablehlo.future<tensor<2xf32>>' are incompatible with return type(s) of operation '!stablehlo.future<tensor<3xf32>>'
func.func @result(%a: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%b: tensor<4xf32>):
    %1 = stablehlo.slice %b [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<3xf32>>
  func.return
}

// -----

// CHECK: future must have exactly one type parameter, but got 2
func.func @done(%a: !stablehlo.future<tensor<4xf32>, tensor<4xf32>>) {
  %0 = "stablehlo.async_done"(%a) : (!stablehlo.future<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: future element type must be a ranked tensor, but got
func.func private @token(!stablehlo.future<!stablehlo.token>)
