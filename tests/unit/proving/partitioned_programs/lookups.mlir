// Look-ups of batches, at padded indices, in parts of one element and among zeros, and scatters of several tensors.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(
  %t: tensor<4x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<4x3x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>},
  %u: tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %j: tensor<3x1xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
  %a: tensor<3xi32>, %b: tensor<3xi32>, %v: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
) -> (tensor<4x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>},
  tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
  tensor<3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x5xi32>, tensor<4x3x1xi32>) -> tensor<4x3xi32>
  %1 = "stablehlo.gather"(%u, %j) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<2xi32>, tensor<3x1xi16>) -> tensor<3xi32>
  %2:2 = "stablehlo.scatter"(%v, %v, %j, %a, %b) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %r: tensor<i32>, %s: tensor<i32>):
    %5 = stablehlo.maximum %p, %r : tensor<i32>
    %6 = stablehlo.add %q, %s : tensor<i32>
    stablehlo.return %5, %6 : tensor<i32>, tensor<i32>
  }) : (tensor<4xi32>, tensor<4xi32>, tensor<3x1xi16>, tensor<3xi32>, tensor<3xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  %c = stablehlo.constant dense<0> : tensor<i32>
  %3 = stablehlo.pad %a, %c, low = [1], high = [1], interior = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<5xi32>
  %4 = "stablehlo.gather"(%3, %j) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<5xi32>, tensor<3x1xi16>) -> tensor<3xi32>
  return %0, %1, %2#0, %2#1, %4 : tensor<4x3xi32>, tensor<3xi32>, tensor<4xi32>, tensor<4xi32>, tensor<3xi32>
}
