// RUN: xshardy-opt %s | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @vectors(
// CHECK-SAME:    %[[A:.*]]: vector<4xi32>, %[[B:.*]]: vector<4xi32>, %[[S:.*]]: i1)
// CHECK-NEXT:    %[[C:.*]] = arith.cmpi ult, %[[A]], %[[B]] {note} : vector<4xi32>
// CHECK-NEXT:    %[[X:.*]] = arith.select %[[C]], %[[A]], %[[B]] : vector<4xi1>, vector<4xi32>
// CHECK-NEXT:    %[[Y:.*]] = arith.select %[[S]], %[[X]], %[[B]] : vector<4xi32>
// CHECK-NEXT:    %[[W:.*]] = arith.extui %[[C]] : vector<4xi1> to vector<4xi8>
// CHECK-NEXT:    %[[V:.*]] = arith.extsi %[[Y]] : vector<4xi32> to vector<4xi64>
// CHECK-NEXT:    arith.trunci %[[V]] : vector<4xi64> to vector<4xi16>
func.func @vectors(%a: vector<4xi32>, %b: vector<4xi32>, %s: i1) {
  %c = arith.cmpi ult, %a, %b {note} : vector<4xi32>
  %x = arith.select %c, %a, %b : vector<4xi1>, vector<4xi32>
  %y = arith.select %s, %x, %b : vector<4xi32>
  %w = arith.extui %c : vector<4xi1> to vector<4xi8>
  %v = arith.extsi %y : vector<4xi32> to vector<4xi64>
  %u = arith.trunci %v : vector<4xi64> to vector<4xi16>
  return
}

// CHECK-LABEL: func.func @tensors(
// CHECK:         arith.cmpi eq, %{{.*}}, %{{.*}} : tensor<2x3xi32>
// CHECK:         arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3xi1>, tensor<2x3xi32>
func.func @tensors(%a: tensor<2x3xi32>) {
  %c = arith.cmpi eq, %a, %a : tensor<2x3xi32>
  %x = arith.select %c, %a, %a : tensor<2x3xi1>, tensor<2x3xi32>
  return
}

// CHECK-LABEL: func.func @scalars(
// CHECK:         arith.cmpi slt, %{{.*}}, %{{.*}} {note} : index
// CHECK:         arith.select %{{.*}}, %{{.*}}, %{{.*}} {note} : index
func.func @scalars(%i: index) {
  %c = arith.cmpi slt, %i, %i {note} : index
  %x = arith.select %c, %i, %i {note} : index
  return
}
