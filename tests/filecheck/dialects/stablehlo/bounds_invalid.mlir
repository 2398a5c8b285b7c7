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
