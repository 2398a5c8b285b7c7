// RUN: xshardy-opt %s | filecheck %s
// RUN: xdsl-opt %s | xdsl-opt --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    %0 = vector.from_elements %arg0, %arg0, %arg0, %arg0 : vector<2x2xf32>
// CHECK-NEXT:    %1 = vector.shape_cast %0 : vector<2x2xf32> to vector<4xf32>
// CHECK-NEXT:    %2 = tensor.bitcast %arg1 : tensor<4xf32> to tensor<4xi32>
func.func @f(%x: f32, %t: tensor<4xf32>) {
  %0 = vector.from_elements %x, %x, %x, %x : vector<2x2xf32>
  %1 = vector.shape_cast %0 : vector<2x2xf32> to vector<4xf32>
  %2 = tensor.bitcast %t : tensor<4xf32> to tensor<4xi32>
  func.return
}
