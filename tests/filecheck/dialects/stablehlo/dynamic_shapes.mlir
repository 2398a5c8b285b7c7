// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @dynamic_reshape
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_reshape %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x?xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_reshape %{{[^ ,:)]+}}, %{{[^ ,:)]+}} {a.b} : (tensor<?xi1>, tensor<2xindex>) -> tensor<?x?xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_reshape %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<?xi1>, tensor<0xui8>) -> tensor<i1>
func.func @dynamic_reshape(%a: tensor<2x3xf32>, %b: tensor<?xi1>, %s: tensor<2xi64>, %i: tensor<2xindex>, %n: tensor<0xui8>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x?xf32>
  %1 = stablehlo.dynamic_reshape %b, %i {a.b} : (tensor<?xi1>, tensor<2xindex>) -> tensor<?x?xi1>
  %2 = stablehlo.dynamic_reshape %b, %n : (tensor<?xi1>, tensor<0xui8>) -> tensor<i1>
  func.return
}

// CHECK-LABEL: func.func @dynamic_reshape_to_constant
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant dense<[1, 6]> : tensor<2xi64>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_reshape %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x6xf32>
func.func @dynamic_reshape_to_constant(%a: tensor<2x3xf32>) {
  %c = stablehlo.constant dense<[1, 6]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %a, %c : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x6xf32>
  func.return
}

// CHECK-LABEL: func.func @dynamic_broadcast_in_dim
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_broadcast_in_dim %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, dims = [2, 0] : (tensor<1x?xf32>, tensor<3xi64>) -> tensor<4x?x5xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_broadcast_in_dim %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<1x?xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_broadcast_in_dim %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, dims = [] {a.b = 1 : i32} : (tensor<complex<f32>>, tensor<3xi64>) -> tensor<?x?x?xcomplex<f32>>
func.func @dynamic_broadcast_in_dim(%a: tensor<1x?xf32>, %b: tensor<complex<f32>>, %s: tensor<3xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [2, 0] : (tensor<1x?xf32>, tensor<3xi64>) -> tensor<4x?x5xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<1x?xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  %2 = stablehlo.dynamic_broadcast_in_dim %b, %s, dims = [] {a.b = 1 : i32} : (tensor<complex<f32>>, tensor<3xi64>) -> tensor<?x?x?xcomplex<f32>>
  func.return
}

// CHECK-LABEL: func.func @dynamic_broadcast_in_dim_to_constant
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_broadcast_in_dim %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, dims = [0, 1] : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
func.func @dynamic_broadcast_in_dim_to_constant(%a: tensor<1x3xf32>) {
  %c = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %c, dims = [0, 1] : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  func.return
}

// CHECK-LABEL: func.func @dynamic_iota
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_iota %{{[^ ,:)]+}}, dim = 1 : (tensor<2xi64>) -> tensor<?x4xi32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_iota %{{[^ ,:)]+}}, dim = 0 {a.b} : (tensor<2xi64>) -> tensor<2x?xf8E5M2>
func.func @dynamic_iota(%s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<?x4xi32>
  %c = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %1 = stablehlo.dynamic_iota %c, dim = 0 {a.b} : (tensor<2xi64>) -> tensor<2x?xf8E5M2>
  func.return
}

// CHECK-LABEL: func.func @dynamic_pad
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_pad %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x?xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant dense<-1> : tensor<1xi64>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant dense<2> : tensor<1xi64>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant dense<1> : tensor<1xi64>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_pad %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} {a.b} : (tensor<3xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xf32>
func.func @dynamic_pad(%a: tensor<2x?xf32>, %b: tensor<3xf32>, %v: tensor<f32>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_pad %a, %v, %s, %s, %s : (tensor<2x?xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %c = stablehlo.constant dense<-1> : tensor<1xi64>
  %c_0 = stablehlo.constant dense<2> : tensor<1xi64>
  %c_1 = stablehlo.constant dense<1> : tensor<1xi64>
  %1 = stablehlo.dynamic_pad %b, %v, %c, %c_0, %c_1 {a.b} : (tensor<3xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xf32>
  func.return
}

// CHECK-LABEL: func.func @dynamic_gather
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.dynamic_gather"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 2>, indices_are_sorted = true}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xi32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant dense<[1, 2, 2]> : tensor<3xi64>
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.dynamic_gather"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 2>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x2x2xi32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.dynamic_gather"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 1>}> : (tensor<3x4x2xi32>, tensor<?x2xi64, #stablehlo.bounds<7, ?>>, tensor<3xi64>) -> tensor<?x2x2xi32, #stablehlo.bounds<7, ?, ?>>
func.func @dynamic_gather(%a: tensor<3x4x2xi32>, %i: tensor<2x3x2xi64>, %b: tensor<?x2xi64, #stablehlo.bounds<7, ?>>, %s: tensor<3xi64>) {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 2>, indices_are_sorted = true}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xi32>
  %c = stablehlo.constant dense<[1, 2, 2]> : tensor<3xi64>
  %1 = "stablehlo.dynamic_gather"(%a, %i, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 2>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x2x2xi32>
  %2 = "stablehlo.dynamic_gather"(%a, %b, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 1>}> : (tensor<3x4x2xi32>, tensor<?x2xi64, #stablehlo.bounds<7, ?>>, tensor<3xi64>) -> tensor<?x2x2xi32, #stablehlo.bounds<7, ?, ?>>
  func.return
}

// CHECK-LABEL: func.func @real_dynamic_slice
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.real_dynamic_slice %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
func.func @real_dynamic_slice(%a: tensor<2x?xf32>, %s: tensor<2xi32>, %d: tensor<?xindex>) {
  %0 = stablehlo.real_dynamic_slice %a, %s, %s, %s : (tensor<2x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  func.return
}

// CHECK-LABEL: func.func @get_dimension_size
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.get_dimension_size %{{[^ ,:)]+}}, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.get_dimension_size %{{[^ ,:)]+}}, dim = 0 {a.b} : (tensor<2x?xf32>) -> tensor<i32>
func.func @get_dimension_size(%a: tensor<2x?xf32>) {
  %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %a, dim = 0 {a.b} : (tensor<2x?xf32>) -> tensor<i32>
  func.return
}

// The size that was there becomes a bound, unless it stays.
// CHECK-LABEL: func.func @set_dimension_size
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.set_dimension_size %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.set_dimension_size %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, dim = 0 {a.b} : (tensor<2x?xf32, #stablehlo.bounds<?, 5>>, tensor<i32>) -> tensor<?x?xf32, #stablehlo.bounds<2, 5>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant dense<3> : tensor<i32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.set_dimension_size %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
func.func @set_dimension_size(%a: tensor<2x3xf32>, %b: tensor<2x?xf32, #stablehlo.bounds<?, 5>>, %n: tensor<i32>) {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>
  %1 = stablehlo.set_dimension_size %b, %n, dim = 0 {a.b} : (tensor<2x?xf32, #stablehlo.bounds<?, 5>>, tensor<i32>) -> tensor<?x?xf32, #stablehlo.bounds<2, 5>>
  %c = stablehlo.constant dense<3> : tensor<i32>
  %2 = stablehlo.set_dimension_size %a, %c, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
  func.return
}
