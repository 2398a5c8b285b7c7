// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s -p canonicalize,cse | filecheck %s

// CHECK-LABEL: xtile.entry_func @tiles(
// CHECK-SAME:    %[[IN:.*]]: memref<16x4xf32, #xtile.layout<[0, 1]>> {xla.some = 1 : i32}, %[[OUT:.*]]: memref<16x4xf32>, %{{.*}}: i32, %[[TILE:.*]]: index) attributes {num_opaque_args = 1 : i32} {
// CHECK-NEXT:    %[[X:.*]] = xtile.extract %[[IN]][%[[TILE]], %[[TILE]]] [8, 1] [2, 1] : memref<16x4xf32, #xtile.layout<[0, 1]>> -> tensor<8xf32>
// CHECK-NEXT:    xtile.insert %[[X]] into %[[OUT]][%[[TILE]], %[[TILE]]] [8, 1] [2, 1] : tensor<8xf32> -> memref<16x4xf32>
// CHECK-NEXT:    xtile.return
xtile.entry_func @tiles(%in: memref<16x4xf32, #xtile.layout<[0, 1]>> {xla.some = 1 : i32}, %out: memref<16x4xf32>,
                        %opaque: i32, %tile: index) attributes {num_opaque_args = 1 : i32} {
  %x = xtile.extract %in[%tile, %tile][8, 1][2, 1] : memref<16x4xf32, #xtile.layout<[0, 1]>> -> tensor<8xf32>
  xtile.insert %x into %out[%tile, %tile][8, 1][2, 1] : tensor<8xf32> -> memref<16x4xf32>
  xtile.return
}

// CHECK-LABEL: xtile.entry_func @scalars(
// CHECK-NEXT:    xtile.extract %{{.*}}[%{{.*}}] [1] [1] : memref<4xf32> -> tensor<f32>
// CHECK-NEXT:    xtile.extract %{{.*}}[] [] [] : memref<f32> -> tensor<f32>
xtile.entry_func @scalars(%in: memref<4xf32>, %other: memref<f32>, %tile: index) {
  %0 = xtile.extract %in[%tile][1][1] : memref<4xf32> -> tensor<f32>
  %1 = xtile.extract %other[][][] : memref<f32> -> tensor<f32>
  xtile.return
}

// CHECK-LABEL: func.func @tensors(
// CHECK-NEXT:    %[[BUFFER:.*]] = xtile.select_buffer %{{.*}}[%{{.*}}] : memref<2xi64> -> memref<8xf32>
// CHECK-NEXT:    %[[MASKED:.*]] = xtile.mask %{{.*}} bounds [3, 0], %{{.*}} : tensor<4x2xf32>
// CHECK-NEXT:    return
func.func @tensors(%all: memref<2xi64>, %i: index, %x: tensor<4x2xf32>, %v: f32) -> (memref<8xf32>, tensor<4x2xf32>) {
  %0 = xtile.select_buffer %all[%i] : memref<2xi64> -> memref<8xf32>
  %1 = xtile.mask %x bounds [3, 0], %v : tensor<4x2xf32>
  return %0, %1 : memref<8xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: func.func @scan(
// CHECK-NEXT:    %[[R:.*]]:2 = xtile.scan(%{{.*}}) inits(%{{.*}}) dimension = 1 {is_reverse = true, scan_dim_size = 3 : i64} : (tensor<2x3xf32>), (tensor<2xf32>) -> (tensor<2x3xf32>), (tensor<2xf32>) {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT:      xtile.yield %[[S]] : f32
// CHECK-NEXT:    }
func.func @scan(%x: tensor<2x3xf32>, %c: tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>) {
  %0, %1 = xtile.scan(%x) inits(%c) dimension = 1 {scan_dim_size = 3 : i64, is_reverse = true}
    : (tensor<2x3xf32>), (tensor<2xf32>) -> (tensor<2x3xf32>), (tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    xtile.yield %s : f32
  }
  return %0, %1 : tensor<2x3xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @products(
// CHECK-NEXT:    xtile.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}} scale %{{.*}} {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, fastMath = true, lhs_elem_type = f4E2M1FN, lhs_k_pack = true, rhs_elem_type = f8E5M2} : tensor<2x16xi8>, tensor<2x1xi8> * tensor<32x2xf8E5M2>, tensor<2x1xi8> -> tensor<2x2xf32>
// CHECK-NEXT:    xtile.dot_scaled %{{.*}}, %{{.*}} scale %{{.*}} {fastMath = false, lhs_elem_type = i8, rhs_elem_type = f8E5M2} : tensor<2x32xi8> * tensor<32x2xf8E5M2>, tensor<2x1xi8> -> tensor<2x2xf32>
func.func @products(%a: tensor<2x16xi8>, %s: tensor<2x1xi8>, %b: tensor<32x2xf8E5M2>, %t: tensor<2x1xi8>, %w: tensor<2x32xi8>)
    -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = xtile.dot_scaled %a scale %s, %b scale %t
    {fastMath = true, lhs_k_pack = true, lhs_elem_type = f4E2M1FN, rhs_elem_type = f8E5M2,
     dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}
    : tensor<2x16xi8>, tensor<2x1xi8> * tensor<32x2xf8E5M2>, tensor<2x1xi8> -> tensor<2x2xf32>
  %1 = xtile.dot_scaled %w, %b scale %t {fastMath = false, lhs_elem_type = i8, rhs_elem_type = f8E5M2}
    : tensor<2x32xi8> * tensor<32x2xf8E5M2>, tensor<2x1xi8> -> tensor<2x2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
}
