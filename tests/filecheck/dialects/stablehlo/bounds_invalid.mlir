// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: Bounds length is 1, expected to be equal to rank(2) of the tensor
func.func @bounds_rank(%a: tensor<2x?xf32, #stablehlo.bounds<4>>) {
  %0 = stablehlo.add %a, %a : tensor<2x?xf32, #stablehlo.bounds<4>>
  func.return
}

// -----

// CHECK: Static dimension 0 cannot have a bound
func.func @bound_of_static(%a: tensor<2x?xf32, #stablehlo.bounds<4, 4>>) {
  %0 = stablehlo.add %a, %a : tensor<2x?xf32, #stablehlo.bounds<4, 4>>
  func.return
}

// -----

// Nothing reads the value: the type itself is wrong.
// CHECK: Bounds length is 1, expected to be equal to rank(2) of the tensor
func.func private @bounds_of_an_argument(tensor<?x?xf32, #stablehlo.bounds<3>>)

// -----

// CHECK: Static dimension 0 cannot have a bound, use ShapedType::kDynamic to indicate a missing bound
func.func private @bound_of_a_known_size(tensor<3xf32, #stablehlo.type_extensions<bounds = [3]>>)

// -----

// CHECK: limit index 4 is larger than dimension bound 3 in dimension 1
func.func @slice_beyond_a_bound(%a: tensor<2x?xf32, #stablehlo.bounds<?, 3>>) {
  %0 = stablehlo.slice %a [0:2, 0:4] : (tensor<2x?xf32, #stablehlo.bounds<?, 3>>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: Padding result in negative bound for dimension 0
func.func @more_cut_off_than_a_bound(%a: tensor<?xf32, #stablehlo.bounds<3>>, %x: tensor<f32>) {
  %0 = stablehlo.pad %a, %x, low = [-4], high = [0], interior = [0] : (tensor<?xf32, #stablehlo.bounds<3>>, tensor<f32>) -> tensor<?xf32>
  func.return
}
