// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: Out-of-bounds dimension 1, expected to be in range [0, 1)
func.func @dimension(%a: tensor<3xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: Duplicate reduction dimension: 0
func.func @duplicate(%a: tensor<3x4xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'
func.func @result(%a: tensor<3x4xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: expects all inputs to have compatible shapes. Shape at input-index 1 is not compatible with shape at input-index 0
func.func @inputs(%a: tensor<3xf32>, %b: tensor<4xf32>, %i: tensor<f32>) {
  %0:2 = stablehlo.reduce(%a init: %i), (%b init: %i) across dimensions = [0] : (tensor<3xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    reducer(%0: tensor<f32>, %1: tensor<f32>) (%2: tensor<f32>, %3: tensor<f32>) {
    stablehlo.return %0, %2 : tensor<f32>, tensor<f32>
  }
  func.return
}

// -----

// CHECK: Reduction-region must take 2 parameters, but takes 1 parameter(s)
func.func @parameters(%a: tensor<3xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%0: tensor<f32>):
    "stablehlo.return"(%0) : (tensor<f32>) -> ()
  }) : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: Reduction-region here must produce 1 tensors, but produces 2 instead
func.func @returns(%a: tensor<3xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %i) across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    reducer(%0: tensor<f32>, %1: tensor<f32>) {
    stablehlo.return %0, %1 : tensor<f32>, tensor<f32>
  }
  func.return
}

// -----

// CHECK: The type of reduction-region's parameter at index 0 is different than the corresponding result type: 'tensor<f32>' vs 'tensor<i32>'
func.func @accumulator(%a: tensor<3xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %i) across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<i32>
    reducer(%0: tensor<f32>, %1: tensor<i32>) {
    stablehlo.return %1 : tensor<i32>
  }
  func.return
}

// -----

// CHECK: The element-type of reduction-region's result type at index 0 is expected to be promotable from the op's corresponding init-value element-type: 'tensor<i8>' vs 'tensor<i32>'
func.func @narrows(%a: tensor<3xi8>, %i: tensor<i32>) {
  %0 = stablehlo.reduce(%a init: %i) across dimensions = [0] : (tensor<3xi8>, tensor<i32>) -> tensor<i8>
    reducer(%0: tensor<i8>, %1: tensor<i8>) {
    stablehlo.return %1 : tensor<i8>
  }
  func.return
}

// -----

// CHECK: The type of reduction-region's parameter at index 1 is different than the corresponding result type: 'tensor<i32>' vs 'tensor<f32>'
func.func @element(%a: tensor<3xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %i) across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    reducer(%0: tensor<f32>, %1: tensor<i32>) {
    stablehlo.return %0 : tensor<f32>
  }
  func.return
}

// -----

// CHECK: expects number of operands to match the arity of map computation, but got: 1 and 2
func.func @map_arity(%a: tensor<3xf32>) {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%0: tensor<f32>, %1: tensor<f32>):
    "stablehlo.return"(%0) : (tensor<f32>) -> ()
  }) : (tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: requires monotonically increasing dimension numbers, but got: 1, 0
func.func @map_dimensions(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%0: tensor<f32>):
    "stablehlo.return"(%0) : (tensor<f32>) -> ()
  }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return
}

// -----

// CHECK: contracting dimension sizes must match for lhs/rhs
func.func @dot_sizes(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  func.return
}

// -----

// CHECK: lhs and rhs should have the same number of contracting dimensions
func.func @dot_counts(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0, 1] x [0] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  func.return
}

// -----

// CHECK: has duplicated dimension from lhs_batching_dimensions and lhs_contracting_dimensions: 1
func.func @dot_duplicates(%a: tensor<2x3xf32>, %b: tensor<3x3xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [1] x [1], contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<3x2xf32>
  func.return
}

// -----

// CHECK: inferred shape '[2, 5]' is incompatible with return type of operation 'tensor<2x4xf32>'
func.func @dot_result(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: offset_dims size (1) plus collapse_slice_dims size (0) plus operand_batching_dims size (0) is not equal to operand rank (2)
func.func @gather_roles(%a: tensor<30x20xf32>, %i: tensor<10x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 20>}> : (tensor<30x20xf32>, tensor<10x1xi32>) -> tensor<10x20xf32>
  func.return
}

// -----

// CHECK: start_index_map size (2) is not equal to size of index dimension (1) of start_indices (1)
func.func @gather_index_map(%a: tensor<30x20xf32>, %i: tensor<10x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 20>}> : (tensor<30x20xf32>, tensor<10x1xi32>) -> tensor<10x20xf32>
  func.return
}

// -----

// CHECK: slice size (21) is out of bounds for operand dimension (20) at index 1
func.func @gather_slice(%a: tensor<30x20xf32>, %i: tensor<10x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 21>}> : (tensor<30x20xf32>, tensor<10x1xi32>) -> tensor<10x20xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<10x20xf32>' are incompatible with return type(s) of operation 'tensor<20x10xf32>'
func.func @gather_result(%a: tensor<30x20xf32>, %i: tensor<10x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 20>}> : (tensor<30x20xf32>, tensor<10x1xi32>) -> tensor<20x10xf32>
  func.return
}

// -----

// CHECK: The reduction-region expected to return some value(s)
func.func @region_returns_nothing(%x: tensor<8xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"() : () -> ()
  }) {dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: element type of operands and computation arguments must match, but got: 'f32' and 'i32'
func.func @map_argument_element(%x: tensor<8xf32>, %y: tensor<4x8xf32>) {
  %0 = "stablehlo.map"(%x, %x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: computation must return single output, but got: 2
func.func @map_returns_two(%x: tensor<8xf32>, %y: tensor<4x8xf32>) {
  %0 = "stablehlo.map"(%x, %x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%a, %b) : (tensor<f32>, tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: computation must return 0-rank tensor, but got: 'tensor<8xf32>'
func.func @map_returns_a_vector(%x: tensor<8xf32>, %y: tensor<4x8xf32>) {
  %0 = "stablehlo.map"(%x, %x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.constant dense<0.0> : tensor<8xf32>
    "stablehlo.return"(%c) : (tensor<8xf32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: applied to a subset of dimensions currently not supported: operand dimensions = 2, requested map dimensions size = 1
func.func @map_of_some_dimensions(%x: tensor<8xf32>, %y: tensor<4x8xf32>) {
  %0 = "stablehlo.map"(%y) ({
  ^bb0(%a: tensor<f32>):
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return
}

// -----

// CHECK: expected 1 or more operands, but found 0
func.func @no_operands() {
  "stablehlo.reduce"() <{dimensions = array<i64: 0>}> ({
  ^bb0():
    stablehlo.return
  }) : () -> ()
  func.return
}

// -----

// CHECK: The reduction-region expected to have a terminator: end it with stablehlo.return
func.func @other_terminator(%a: tensor<3xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    func.return
  }) : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: Reduction-region here must produce tensor-typed result(s), but produces 'tuple<tensor<f32>>' instead
func.func @returned_tuple(%a: tensor<3xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %t = stablehlo.tuple %x : tuple<tensor<f32>>
    stablehlo.return %t : tuple<tensor<f32>>
  }) : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: The rank of reduction-region's argument at index 1 is expected to be <= 0, got 1
func.func @rank_of_an_argument(%a: tensor<3xf32>, %i: tensor<1xf32>) {
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<1xf32>, %y: tensor<1xf32>):
    stablehlo.return %x : tensor<1xf32>
  }) : (tensor<3xf32>, tensor<1xf32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: The shape of reduction-region's argument at index 1 is not compatible with that of reduce-op's input-parameter at index 0
func.func @shape_of_an_argument(%a: tensor<3x4xf32>, %i: tensor<2xf32>) {
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<3x4xf32>, tensor<2xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: The element-type of reduction-region's result type at index 0 is expected to be promotable from the op's corresponding init-value element-type: 'tensor<!quant.uniform<i8:f32, 5.000000e-01>>' vs 'tensor<!quant.uniform<i32:f32, 5.000000e-01>>'
func.func @smaller_quantized_elements(%a: tensor<3x!quant.uniform<i32:f32, 0.5>>, %i: tensor<!quant.uniform<i32:f32, 0.5>>) {
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<!quant.uniform<i8:f32, 0.5>>, %y: tensor<!quant.uniform<i8:f32, 0.5>>):
    stablehlo.return %x : tensor<!quant.uniform<i8:f32, 0.5>>
  }) : (tensor<3x!quant.uniform<i32:f32, 0.5>>, tensor<!quant.uniform<i32:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 0.5>>
  func.return
}

// -----

// CHECK: computation arguments must be 0-rank tensor, but got: arg #0 of type 'tensor<3xf32>'
func.func @argument_of_a_map(%a: tensor<3xf32>) {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<3xf32>):
    %y = stablehlo.constant dense<0.0> : tensor<f32>
    stablehlo.return %y : tensor<f32>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  func.return
}
