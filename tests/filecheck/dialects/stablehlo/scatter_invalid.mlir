// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: Expects rank-of operand to match size-of('update_window_dims') + size-of('inserted_window_dims') + size-of('input_batching_dims') i.e. 1 but got 2.
func.func @operand_rank(%a: tensor<30x20xf32>, %i: tensor<10x1xi32>, %u: tensor<10x20xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>):
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<30x20xf32>, tensor<10x1xi32>, tensor<10x20xf32>) -> tensor<30x20xf32>
  func.return
}

// -----

// CHECK: expects updates tensor must be of rank 2
func.func @update_rank(%a: tensor<30x20xf32>, %i: tensor<10x1xi32>, %u: tensor<10xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>):
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<30x20xf32>, tensor<10x1xi32>, tensor<10xf32>) -> tensor<30x20xf32>
  func.return
}

// -----

// CHECK: For dimension 1, updates bound is 21, operand bound is 20.
func.func @window_size(%a: tensor<30x20xf32>, %i: tensor<10x1xi32>, %u: tensor<10x21xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>):
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<30x20xf32>, tensor<10x1xi32>, tensor<10x21xf32>) -> tensor<30x20xf32>
  func.return
}

// -----

// CHECK: For scatter dimension 0, updates bound is 11 , scatter_indices bound is 10.
func.func @scatter_size(%a: tensor<30x20xf32>, %i: tensor<10x1xi32>, %u: tensor<11x20xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>):
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<30x20xf32>, tensor<10x1xi32>, tensor<11x20xf32>) -> tensor<30x20xf32>
  func.return
}

// -----

// CHECK: Scatter op has 2 elements in scatter_dims_to_operand_dims and the bound of dimension index_vector_dim=1 of scatter_indices is 1.
func.func @index_map(%a: tensor<30x20xf32>, %i: tensor<10x1xi32>, %u: tensor<10x20xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>):
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<30x20xf32>, tensor<10x1xi32>, tensor<10x20xf32>) -> tensor<30x20xf32>
  func.return
}

// -----

// CHECK: Expects index_vector_dim to be in range [0, rank-of('scatter_indices')] i.e. [0, 2]. got: 3.
func.func @index_vector_dim(%a: tensor<30x20xf32>, %i: tensor<10x1xi32>, %u: tensor<10x20xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 3>}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>):
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<30x20xf32>, tensor<10x1xi32>, tensor<10x20xf32>) -> tensor<30x20xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<30x20xf32>' are incompatible with return type(s) of operation 'tensor<30x21xf32>'
func.func @result(%a: tensor<30x20xf32>, %i: tensor<10x1xi32>, %u: tensor<10x20xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>):
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<30x20xf32>, tensor<10x1xi32>, tensor<10x20xf32>) -> tensor<30x21xf32>
  func.return
}

// -----

// CHECK: expects window-dimensions size == input rank, but got window-dimensions size: 2 and input: 'tensor<4xi64>' with rank = 1.
func.func @window_rank(%a: tensor<4xi64>, %i: tensor<i64>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 1>}> ({
  ^bb0(%0: tensor<i64>, %1: tensor<i64>):
    %2 = stablehlo.add %0, %1 : tensor<i64>
    stablehlo.return %2 : tensor<i64>
  }) : (tensor<4xi64>, tensor<i64>) -> tensor<3xi64>
  func.return
}

// -----

// CHECK: expects window to have positive stride for 0-th window dimension, but got 0.
func.func @window_stride(%a: tensor<4xi64>, %i: tensor<i64>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 0>}> ({
  ^bb0(%0: tensor<i64>, %1: tensor<i64>):
    %2 = stablehlo.add %0, %1 : tensor<i64>
    stablehlo.return %2 : tensor<i64>
  }) : (tensor<4xi64>, tensor<i64>) -> tensor<3xi64>
  func.return
}

// -----

// CHECK: expects window-strides to have same dimension-size as size of window dimensions (1), but got: 2.
func.func @window_strides(%a: tensor<4xi64>, %i: tensor<i64>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%0: tensor<i64>, %1: tensor<i64>):
    %2 = stablehlo.add %0, %1 : tensor<i64>
    stablehlo.return %2 : tensor<i64>
  }) : (tensor<4xi64>, tensor<i64>) -> tensor<3xi64>
  func.return
}

// -----

// CHECK: expects the shape of padding-attribute to be {N, 2}, but got {2}.
func.func @window_padding(%a: tensor<4xi64>, %i: tensor<i64>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2>, padding = dense<[1, 2]> : tensor<2xi64>}> ({
  ^bb0(%0: tensor<i64>, %1: tensor<i64>):
    %2 = stablehlo.add %0, %1 : tensor<i64>
    stablehlo.return %2 : tensor<i64>
  }) : (tensor<4xi64>, tensor<i64>) -> tensor<3xi64>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<3xi64>' are incompatible with return type(s) of operation 'tensor<4xi64>'
func.func @window_result(%a: tensor<4xi64>, %i: tensor<i64>) {
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%0: tensor<i64>, %1: tensor<i64>):
    %2 = stablehlo.add %0, %1 : tensor<i64>
    stablehlo.return %2 : tensor<i64>
  }) : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  func.return
}

// -----

// CHECK: Expects update_window_dims to be sorted; got: [1, 0].
func.func @window_order(%a: tensor<30x20xf32>, %i: tensor<2xi32>, %u: tensor<10x20xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 0], scatter_dims_to_operand_dims = [0, 1]>}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>):
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<30x20xf32>, tensor<2xi32>, tensor<10x20xf32>) -> tensor<30x20xf32>
  func.return
}

// -----

// CHECK: Expects update_window_dims to not repeat; got: [1, 1].
func.func @window_twice(%a: tensor<30x20xf32>, %i: tensor<2xi32>, %u: tensor<10x20xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 1], scatter_dims_to_operand_dims = [0, 1]>}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>):
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<30x20xf32>, tensor<2xi32>, tensor<10x20xf32>) -> tensor<30x20xf32>
  func.return
}

// -----

// CHECK: expects scatter_indices_batching_dims not to include index_vector_dim 2.
func.func @batching_over_the_index_vector(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi32>, %u: tensor<2x3x2xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [2], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>):
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x4x2xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>) -> tensor<3x4x2xf32>
  func.return
}

// -----

// CHECK: input_batching_dims and scatter_indices_batching_dims should have the same size.
func.func @batching_dims_of_one_side(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi32>, %u: tensor<2x3x2xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>):
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x4x2xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>) -> tensor<3x4x2xf32>
  func.return
}

// -----

// CHECK: input_batching_dims[0] and scatter_indices_batching_dims[0] must have compatible sizes, but got 3 and 2.
func.func @batch_sizes(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi32>, %u: tensor<2x3x2xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 2>}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>):
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x4x2xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>) -> tensor<3x4x2xf32>
  func.return
}

// -----

// CHECK: Expects inserted_window_dims to be sorted; got: [1, 0].
func.func @inserted_dimensions_are_in_order(%a: tensor<30x20xf32>, %i: tensor<10x2xi32>, %u: tensor<10xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1, 0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<30x20xf32>, tensor<10x2xi32>, tensor<10xf32>) -> tensor<30x20xf32>
  func.return
}

// -----

// CHECK: Not all inputs have compatible shapes.
func.func @inputs_of_two_shapes(%a: tensor<3xf32>, %b: tensor<4xf32>, %i: tensor<1xi32>, %u: tensor<f32>) {
  %0:2 = "stablehlo.scatter"(%a, %b, %i, %u, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %w: tensor<f32>):
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) : (tensor<3xf32>, tensor<4xf32>, tensor<1xi32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<4xf32>)
  func.return
}
