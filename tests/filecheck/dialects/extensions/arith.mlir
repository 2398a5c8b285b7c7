// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s
// RUN: xdsl-opt %s | xdsl-opt --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    %0 = arith.index_castui %arg0 {xla.range = [0 : index, 3 : index]} : i32 to index
// CHECK-NEXT:    %1 = arith.index_castui %arg1 : vector<4xindex> to vector<4xi8>
// CHECK-NEXT:    %2 = arith.remf %arg2, %arg2 fastmath<nnan> : f32
func.func @f(%x: i32, %v: vector<4xindex>, %y: f32) {
  %0 = arith.index_castui %x {xla.range = [0 : index, 3 : index]} : i32 to index
  %1 = arith.index_castui %v : vector<4xindex> to vector<4xi8>
  %2 = arith.remf %y, %y fastmath<nnan> : f32
  func.return
}
