// RUN: xshardy-opt %s | filecheck %s
// RUN: xdsl-opt %s | xdsl-opt --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    %0 = math.erfc %arg0 : f32
// CHECK-NEXT:    %1 = math.isnan %arg0 : f32
// CHECK-NEXT:    %2 = math.isfinite %arg1 : vector<4xf32>
// CHECK-NEXT:    %3 = math.isinf %arg0 {a} : f32
// CHECK-NEXT:    %4 = math.isnormal %arg0 : f32
// CHECK-NEXT:    return %1, %2 : i1, vector<4xi1>
func.func @f(%x: f32, %v: vector<4xf32>) -> (i1, vector<4xi1>) {
  %0 = math.erfc %x : f32
  %1 = math.isnan %x : f32
  %2 = math.isfinite %v : vector<4xf32>
  %3 = math.isinf %x {a} : f32
  %4 = math.isnormal %x : f32
  func.return %1, %2 : i1, vector<4xi1>
}
