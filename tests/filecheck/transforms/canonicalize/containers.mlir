// RUN: xshardy-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: func.func @tensors
// CHECK-DAG:     %[[SIX:.*]] = arith.constant 6.000000e+00 : f32
// CHECK-DAG:     %[[FOUR:.*]] = arith.constant 4 : index
// CHECK:         return %arg1, %arg1, %[[SIX]], %arg1, %[[FOUR]], %arg0
func.func @tensors(%t: tensor<4xf32>, %x: f32, %y: f32, %i: index)
    -> (f32, f32, f32, f32, index, tensor<4xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %inserted = tensor.insert %x into %t[%i] : tensor<4xf32>
  %a = tensor.extract %inserted[%i] : tensor<4xf32>
  %elements = tensor.from_elements %y, %x : tensor<2xf32>
  %b = tensor.extract %elements[%1] : tensor<2xf32>
  %constant = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %c = tensor.extract %constant[%1, %2] : tensor<2x3xf32>
  %splat = tensor.splat %x : tensor<8xf32>
  %d = tensor.extract %splat[%i] : tensor<8xf32>
  %e = tensor.dim %t, %0 : tensor<4xf32>
  %f = tensor.cast %t : tensor<4xf32> to tensor<4xf32>
  return %a, %b, %c, %d, %e, %f : f32, f32, f32, f32, index, tensor<4xf32>
}

// CHECK-LABEL: func.func @any_element_of_a_splat
// CHECK-NEXT:    %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:    return %[[TWO]] : f32
func.func @any_element_of_a_splat(%i: index) -> f32 {
  %splat = arith.constant dense<2.0> : tensor<4xf32>
  %a = tensor.extract %splat[%i] : tensor<4xf32>
  return %a : f32
}

// CHECK-LABEL: func.func @shape_cast_to_the_same_shape
// CHECK-NEXT:    return %arg0 : vector<4xf32>
func.func @shape_cast_to_the_same_shape(%v: vector<4xf32>) -> vector<4xf32> {
  %a = vector.shape_cast %v : vector<4xf32> to vector<4xf32>
  return %a : vector<4xf32>
}

// CHECK-LABEL: func.func @another_element
// CHECK:         tensor.extract
func.func @another_element(%t: tensor<4xf32>, %x: f32, %i: index, %j: index) -> f32 {
  %inserted = tensor.insert %x into %t[%i] : tensor<4xf32>
  %a = tensor.extract %inserted[%j] : tensor<4xf32>
  return %a : f32
}

// CHECK-LABEL: func.func @vectors
// CHECK-NEXT:    %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:    %[[AT:.*]] = vector.extract %arg0[3] : f32 from vector<4xf32>
// CHECK-NEXT:    %[[SPLAT:.*]] = vector.broadcast %arg1 : f32 to vector<2xf32>
// CHECK-NEXT:    return %arg1, %arg1, %arg2, %[[TWO]], %[[AT]], %[[SPLAT]]
func.func @vectors(%v: vector<4xf32>, %x: f32, %y: f32) -> (f32, f32, f32, f32, f32, vector<2xf32>) {
  %3 = arith.constant 3 : index
  %broadcast = vector.broadcast %x : f32 to vector<4xf32>
  %a = vector.extract %broadcast[2] : f32 from vector<4xf32>
  %inserted = vector.insert %x, %v [0] : f32 into vector<4xf32>
  %inserted_again = vector.insert %y, %inserted [1] : f32 into vector<4xf32>
  %b = vector.extract %inserted_again[0] : f32 from vector<4xf32>
  %elements = vector.from_elements %x, %y : vector<2xf32>
  %c = vector.extract %elements[1] : f32 from vector<2xf32>
  %constant = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
  %d = vector.extract %constant[1] : f32 from vector<2xf32>
  %e = vector.extract %v[%3] : f32 from vector<4xf32>
  %f = vector.from_elements %x, %x : vector<2xf32>
  return %a, %b, %c, %d, %e, %f : f32, f32, f32, f32, f32, vector<2xf32>
}

// CHECK-LABEL: func.func @complex_numbers
// CHECK-NEXT:    %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:    return %arg1, %arg2, %arg0, %[[TWO]], %arg0
func.func @complex_numbers(%z: complex<f32>, %x: f32, %y: f32) -> (f32, f32, complex<f32>, f32, complex<f32>) {
  %created = complex.create %x, %y : complex<f32>
  %a = complex.re %created : complex<f32>
  %b = complex.im %created : complex<f32>
  %re = complex.re %z : complex<f32>
  %im = complex.im %z : complex<f32>
  %c = complex.create %re, %im : complex<f32>
  %constant = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
  %d = complex.im %constant : complex<f32>
  %negative = complex.neg %z : complex<f32>
  %e = complex.neg %negative : complex<f32>
  return %a, %b, %c, %d, %e : f32, f32, complex<f32>, f32, complex<f32>
}

// What was inserted at a position that only a kernel knows, and a row of a matrix.
// CHECK-LABEL: func.func @extract_what_was_inserted
// CHECK-NEXT:    return %arg2, %arg4 : f32, vector<4xf32>
func.func @extract_what_was_inserted(%v: vector<4xf32>, %i: index, %x: f32, %m: vector<2x4xf32>, %row: vector<4xf32>) -> (f32, vector<4xf32>) {
  %0 = vector.insert %x, %v[%i] : f32 into vector<4xf32>
  %a = vector.extract %0[%i] : f32 from vector<4xf32>
  %1 = vector.insert %row, %m[1] : vector<4xf32> into vector<2x4xf32>
  %b = vector.extract %1[1] : vector<4xf32> from vector<2x4xf32>
  return %a, %b : f32, vector<4xf32>
}

// CHECK-LABEL: func.func @constant_elements
// CHECK-NEXT:    %[[BOTH:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : vector<2xf32>
// CHECK-NEXT:    return %[[BOTH]] : vector<2xf32>
func.func @constant_elements() -> vector<2xf32> {
  %a = arith.constant 1.0 : f32
  %b = arith.constant 2.0 : f32
  %v = vector.from_elements %a, %b : vector<2xf32>
  return %v : vector<2xf32>
}

// CHECK-LABEL: func.func @places_out_of_bounds
// CHECK:         %[[A:.*]] = tensor.extract %{{.*}}[%{{.*}}] : tensor<2xf32>
// CHECK-NEXT:    %[[B:.*]] = tensor.dim %arg0, %{{.*}} : tensor<4xf32>
// CHECK:         %[[C:.*]] = vector.extract %{{.*}}[%{{.*}}] : f32 from vector<2xf32>
// CHECK-NEXT:    return %[[A]], %[[B]], %[[C]] : f32, index, f32
func.func @places_out_of_bounds(%t: tensor<4xf32>, %x: f32, %y: f32) -> (f32, index, f32) {
  %seven = arith.constant 7 : index
  %constant = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %a = tensor.extract %constant[%seven] : tensor<2xf32>
  %b = tensor.dim %t, %seven : tensor<4xf32>
  %v = vector.from_elements %x, %y : vector<2xf32>
  %minus = arith.constant -1 : index
  %c = vector.extract %v[%minus] : f32 from vector<2xf32>
  return %a, %b, %c : f32, index, f32
}

// CHECK-LABEL: func.func @elements_behind_inserts
// CHECK-NEXT:    %[[ROW:.*]] = vector.insert %arg2, %arg3 [0] : vector<2xf32> into vector<3x2xf32>
// CHECK-NEXT:    %[[OTHER:.*]] = vector.extract %[[ROW]][0, 1] : f32 from vector<3x2xf32>
// CHECK-NEXT:    return %arg1, %[[OTHER]] : f32, f32
func.func @elements_behind_inserts(%x: f32, %y: f32, %row: vector<2xf32>, %m: vector<3x2xf32>) -> (f32, f32) {
  %v = vector.from_elements %x, %y : vector<2xf32>
  %w = vector.insert %x, %v[0] : f32 into vector<2xf32>
  %a = vector.extract %w[1] : f32 from vector<2xf32>
  %n = vector.insert %row, %m[0] : vector<2xf32> into vector<3x2xf32>
  %b = vector.extract %n[0, 1] : f32 from vector<3x2xf32>
  return %a, %b : f32, f32
}

// CHECK-LABEL: func.func @a_position_that_is_also_the_source
// CHECK-NEXT:    %[[TWO:.*]] = arith.constant 2 : index
// CHECK-NEXT:    %[[V:.*]] = vector.insert %[[TWO]], %arg0 [%[[TWO]]] : index into vector<4xindex>
// CHECK-NEXT:    return %[[V]] : vector<4xindex>
func.func @a_position_that_is_also_the_source(%v: vector<4xindex>) -> vector<4xindex> {
  %two = arith.constant 2 : index
  %w = vector.insert %two, %v[%two] : index into vector<4xindex>
  return %w : vector<4xindex>
}
