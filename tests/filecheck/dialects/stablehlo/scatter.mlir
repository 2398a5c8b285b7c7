// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @one
// CHECK-NEXT:    %{{.*}} = "stablehlo.scatter"(%{{.*}}, %{{.*}}, %{{.*}}) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
// CHECK-NEXT:    ^bb0(%[[OLD:.*]]: tensor<f32>, %[[UPDATE:.*]]: tensor<f32>):
// CHECK-NEXT:      %[[SUM:.*]] = stablehlo.add %[[OLD]], %[[UPDATE]] : tensor<f32>
// CHECK-NEXT:      stablehlo.return %[[SUM]] : tensor<f32>
// CHECK-NEXT:    }) : (tensor<30x20xf32>, tensor<10x1xi32>, tensor<10x20xf32>) -> tensor<30x20xf32>
func.func @one(%a: tensor<30x20xf32>, %i: tensor<10x1xi32>, %u: tensor<10x20xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = true}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>):
    %2 = stablehlo.add %0, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<30x20xf32>, tensor<10x1xi32>, tensor<10x20xf32>) -> tensor<30x20xf32>
  func.return
}

// CHECK-LABEL: func.func @two_in_batches
// CHECK-NEXT:    %{{.*}}:2 = "stablehlo.scatter"
// CHECK-SAME:    input_batching_dims = [0], scatter_indices_batching_dims = [1]
func.func @two_in_batches(%a: tensor<3x30x20xf32>, %i: tensor<10x3xi32>, %u: tensor<10x3x20xf32>) {
  %0:2 = "stablehlo.scatter"(%a, %a, %i, %u, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>, %2: tensor<f32>, %3: tensor<f32>):
    stablehlo.return %2, %3 : tensor<f32>, tensor<f32>
  }) : (tensor<3x30x20xf32>, tensor<3x30x20xf32>, tensor<10x3xi32>, tensor<10x3x20xf32>, tensor<10x3x20xf32>) -> (tensor<3x30x20xf32>, tensor<3x30x20xf32>)
  func.return
}
