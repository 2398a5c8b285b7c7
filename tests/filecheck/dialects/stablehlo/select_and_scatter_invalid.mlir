// RUN: xshardy-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: expects the select-region to take 2 parameters, but takes 1
func.func @select_argument_count(%a: tensor<10x24xf32>, %s: tensor<5x12xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>):
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %t = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<10x24xf32>, tensor<5x12xf32>, tensor<f32>) -> tensor<10x24xf32>
  func.return
}

// -----

// CHECK: expects the type of select-region's parameter at index 0 to be 'tensor<f32>', but got 'tensor<i32>'
func.func @select_argument_type(%a: tensor<10x24xf32>, %s: tensor<5x12xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %t = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<10x24xf32>, tensor<5x12xf32>, tensor<f32>) -> tensor<10x24xf32>
  func.return
}

// -----

// CHECK: expects select-region to return single value, but got: 2
func.func @select_result_count(%a: tensor<10x24xf32>, %s: tensor<5x12xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c, %c : tensor<i1>, tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %t = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<10x24xf32>, tensor<5x12xf32>, tensor<f32>) -> tensor<10x24xf32>
  func.return
}

// -----

// CHECK: expects the return-type of select-region to be tensor<i1>, but got: 'tensor<f32>'
func.func @select_result_type(%a: tensor<10x24xf32>, %s: tensor<5x12xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %t = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<10x24xf32>, tensor<5x12xf32>, tensor<f32>) -> tensor<10x24xf32>
  func.return
}

// -----

// CHECK: Reduction-region must take 2 parameters, but takes 1 parameter(s)
func.func @scatter_argument_count(%a: tensor<10x24xf32>, %s: tensor<5x12xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<10x24xf32>, tensor<5x12xf32>, tensor<f32>) -> tensor<10x24xf32>
  func.return
}

// -----

// CHECK: The type of reduction-region's parameter at index 0 is different than the corresponding result type: 'tensor<f32>' vs 'tensor<i32>'
func.func @scatter_result_type(%a: tensor<10x24xf32>, %s: tensor<5x12xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<10x24xf32>, tensor<5x12xf32>, tensor<f32>) -> tensor<10x24xf32>
  func.return
}

// -----

// CHECK: expects window-dimensions size == operand rank, but got window-dimensions size: 1 and operand-type: 'tensor<10x24xf32>' with rank = 2.
func.func @window_rank(%a: tensor<10x24xf32>, %s: tensor<5x12xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %t = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<10x24xf32>, tensor<5x12xf32>, tensor<f32>) -> tensor<10x24xf32>
  func.return
}

// -----

// CHECK: expects window-dimensions size == operand rank, but got window-dimensions size: 0 and operand-type: 'tensor<10x24xf32>' with rank = 2.
func.func @no_window(%a: tensor<10x24xf32>, %s: tensor<5x12xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %t = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<10x24xf32>, tensor<5x12xf32>, tensor<f32>) -> tensor<10x24xf32>
  func.return
}

// -----

// CHECK: expects window to have positive value for 1-th window dimension, but got 0.
func.func @zero_window(%a: tensor<10x24xf32>, %s: tensor<5x12xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2, 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %t = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<10x24xf32>, tensor<5x12xf32>, tensor<f32>) -> tensor<10x24xf32>
  func.return
}

// -----

// CHECK: expects window-strides to have same dimension-size as size of window dimensions (2), but got: 1.
func.func @strides(%a: tensor<10x24xf32>, %s: tensor<5x12xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %t = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<10x24xf32>, tensor<5x12xf32>, tensor<f32>) -> tensor<10x24xf32>
  func.return
}

// -----

// CHECK: expects the shape of padding-attribute to be {N, 2}, but got {2}.
func.func @padding(%a: tensor<10x24xf32>, %s: tensor<5x12xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2, 2>, padding = dense<0> : tensor<2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %t = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<10x24xf32>, tensor<5x12xf32>, tensor<f32>) -> tensor<10x24xf32>
  func.return
}

// -----

// CHECK: expects source-type to be 'tensor<5x12xf32>', but got'tensor<5x11xf32>'
func.func @source_shape(%a: tensor<10x24xf32>, %s: tensor<5x11xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %t = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<10x24xf32>, tensor<5x11xf32>, tensor<f32>) -> tensor<10x24xf32>
  func.return
}

// -----

// CHECK: The element-type of reduction-region's argument at index 1 is expected to be promotable from 'i32', but got 'f32'
func.func @source_element(%a: tensor<10x24xf32>, %s: tensor<5x12xi32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %t = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<10x24xf32>, tensor<5x12xi32>, tensor<f32>) -> tensor<10x24xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<10x24xf32>' are incompatible with return type(s) of operation 'tensor<10x23xf32>'
func.func @result_shape(%a: tensor<10x24xf32>, %s: tensor<5x12xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %t = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<10x24xf32>, tensor<5x12xf32>, tensor<f32>) -> tensor<10x23xf32>
  func.return
}

// -----

// CHECK: expects the type of select-region's parameter at index 0 to be 'tensor<f32>', but got 'tuple<tensor<f32>>'
func.func @tuple_as_a_parameter(%a: tensor<4xf32>, %s: tensor<4xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) ({
  ^bb0(%x: tuple<tensor<f32>>, %y: tensor<f32>):
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return
}
