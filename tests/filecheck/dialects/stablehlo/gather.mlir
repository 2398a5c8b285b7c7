// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @rows
// CHECK-NEXT:    %{{.*}} = "stablehlo.gather"(%{{.*}}, %{{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 20>}> : (tensor<30x20xf32>, tensor<10x1xi32>) -> tensor<10x20xf32>
func.func @rows(%a: tensor<30x20xf32>, %i: tensor<10x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 20>}> : (tensor<30x20xf32>, tensor<10x1xi32>) -> tensor<10x20xf32>
  func.return
}

// CHECK-LABEL: func.func @in_batches
// CHECK-NEXT:    operand_batching_dims = [0], start_indices_batching_dims = [1]
func.func @in_batches(%a: tensor<3x30x20xf32>, %i: tensor<10x3xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 20>}> : (tensor<3x30x20xf32>, tensor<10x3xi32>) -> tensor<10x3x20xf32>
  func.return
}
