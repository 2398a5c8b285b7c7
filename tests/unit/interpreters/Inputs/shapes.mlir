// iota
func.func public @main() -> (tensor<3x4xi32>, tensor<3x4xbf16>, tensor<2xcomplex<f32>>) {
  %0 = stablehlo.iota dim = 0 : tensor<3x4xi32>
  %1 = stablehlo.iota dim = 1 : tensor<3x4xbf16>
  %2 = stablehlo.iota dim = 0 : tensor<2xcomplex<f32>>
  return %0, %1, %2 : tensor<3x4xi32>, tensor<3x4xbf16>, tensor<2xcomplex<f32>>
}

// -----

// broadcast
func.func public @main(%x: tensor<3x1xf32>, %s: tensor<i8>) -> (tensor<2x4x3xf32>, tensor<2xi8>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<3x1xf32>) -> tensor<2x4x3xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<i8>) -> tensor<2xi8>
  return %0, %1 : tensor<2x4x3xf32>, tensor<2xi8>
}

// -----

// transpose_reshape_reverse
func.func public @main(%x: tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>, tensor<6x4xf32>, tensor<2x3x4xf32>) {
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = stablehlo.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %2 = stablehlo.reverse %x, dims = [0, 2] : tensor<2x3x4xf32>
  return %0, %1, %2 : tensor<4x2x3xf32>, tensor<6x4xf32>, tensor<2x3x4xf32>
}

// -----

// slices
func.func public @main(%x: tensor<5x7xi16>, %u: tensor<2x2xi16>, %i: tensor<i32>, %j: tensor<ui8>)
    -> (tensor<2x3xi16>, tensor<3x4xi16>, tensor<5x7xi16>) {
  %0 = stablehlo.slice %x [1:5:2, 0:7:3] : (tensor<5x7xi16>) -> tensor<2x3xi16>
  %1 = stablehlo.dynamic_slice %x, %i, %i, sizes = [3, 4] : (tensor<5x7xi16>, tensor<i32>, tensor<i32>) -> tensor<3x4xi16>
  %2 = stablehlo.dynamic_update_slice %x, %u, %j, %j : (tensor<5x7xi16>, tensor<2x2xi16>, tensor<ui8>, tensor<ui8>) -> tensor<5x7xi16>
  return %0, %1, %2 : tensor<2x3xi16>, tensor<3x4xi16>, tensor<5x7xi16>
}

// -----

// pad
func.func public @main(%x: tensor<3x4xf32>, %v: tensor<f32>) -> (tensor<9x5xf32>, tensor<1x4xf32>) {
  %0 = stablehlo.pad %x, %v, low = [1, -1], high = [3, -1], interior = [1, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<9x5xf32>
  %1 = stablehlo.pad %x, %v, low = [-1, 0], high = [-1, 0], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  return %0, %1 : tensor<9x5xf32>, tensor<1x4xf32>
}

// -----

// concatenate_bitcast
func.func public @main(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>, tensor<2x4x2xi16>) {
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x4xf32>) -> tensor<2x4xi32>
  %2 = stablehlo.bitcast_convert %0 : (tensor<2x4xf32>) -> tensor<2x4x2xi16>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<2x4xi32>, tensor<2x4x2xi16>
}

// -----

// constants
func.func public @main() -> (tensor<2x2xi1>, tensor<3xbf16>, tensor<2xcomplex<f32>>, tensor<4xui8>, tensor<i64>) {
  %0 = stablehlo.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %1 = stablehlo.constant dense<[1.5, 0x7F80, -0.0]> : tensor<3xbf16>
  %2 = stablehlo.constant dense<[(1.0, 2.0), (-0.5, 0.0)]> : tensor<2xcomplex<f32>>
  %3 = stablehlo.constant dense<200> : tensor<4xui8>
  %4 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
  return %0, %1, %2, %3, %4 : tensor<2x2xi1>, tensor<3xbf16>, tensor<2xcomplex<f32>>, tensor<4xui8>, tensor<i64>
}

// -----

// calls
func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = call @both(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %1 = stablehlo.subtract %0#0, %0#1 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @both(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  return %x, %0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// reduce_sum_and_empty
func.func public @main(%x: tensor<5x7x3xf32>, %z: tensor<2x0xi32>, %f: tensor<f32>, %i: tensor<i32>)
    -> (tensor<7xf32>, tensor<2xi32>) {
  %0 = stablehlo.reduce(%x init: %f) applies stablehlo.add across dimensions = [2, 0] : (tensor<5x7x3xf32>, tensor<f32>) -> tensor<7xf32>
  %1 = stablehlo.reduce(%z init: %i) applies stablehlo.maximum across dimensions = [1] : (tensor<2x0xi32>, tensor<i32>) -> tensor<2xi32>
  return %0, %1 : tensor<7xf32>, tensor<2xi32>
}

// -----

// argmax
func.func public @main(%x: tensor<3x9xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %i = stablehlo.iota dim = 1 : tensor<3x9xi32>
  %low = stablehlo.constant dense<-2147483648> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1] : (tensor<3x9xi32>, tensor<3x9xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
   reducer(%a: tensor<i32>, %b: tensor<i32>) (%ai: tensor<i32>, %bi: tensor<i32>)  {
    %greater = stablehlo.compare GE, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %value = stablehlo.select %greater, %a, %b : tensor<i1>, tensor<i32>
    %index = stablehlo.select %greater, %ai, %bi : tensor<i1>, tensor<i32>
    stablehlo.return %value, %index : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<3xi32>, tensor<3xi32>
}

// -----

// dot_general
func.func public @main(%x: tensor<2x3x4xbf16>, %y: tensor<4x2x5xbf16>, %i: tensor<3x4xi8>, %j: tensor<4x2xi8>)
    -> (tensor<2x3x5xf32>, tensor<3x2xi8>) {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [1], contracting_dims = [2] x [0] : (tensor<2x3x4xbf16>, tensor<4x2x5xbf16>) -> tensor<2x3x5xf32>
  %1 = stablehlo.dot_general %i, %j, contracting_dims = [1] x [0] : (tensor<3x4xi8>, tensor<4x2xi8>) -> tensor<3x2xi8>
  return %0, %1 : tensor<2x3x5xf32>, tensor<3x2xi8>
}

// -----

// gather
func.func public @main(%x: tensor<6x5xf32>, %i: tensor<4x2xi32>, %j: tensor<3xi8>) -> (tensor<4x2x3xf32>, tensor<3x5xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [1, 0],
    index_vector_dim = 1>, slice_sizes = array<i64: 2, 3>}> : (tensor<6x5xf32>, tensor<4x2xi32>) -> tensor<4x2x3xf32>
  %1 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
    start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<6x5xf32>, tensor<3xi8>) -> tensor<3x5xf32>
  return %0, %1 : tensor<4x2x3xf32>, tensor<3x5xf32>
}

// -----

// batched_gather
func.func public @main(%x: tensor<3x6xf32>, %i: tensor<3x4x1xi64>) -> tensor<3x4xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1],
    operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 1>}> : (tensor<3x6xf32>, tensor<3x4x1xi64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
