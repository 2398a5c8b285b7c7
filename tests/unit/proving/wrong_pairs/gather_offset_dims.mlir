// Another dimension of the result is that of the windows.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<3x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<3x1xi32>) -> tensor<3x3xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
}
