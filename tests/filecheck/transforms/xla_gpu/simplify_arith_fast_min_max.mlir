// RUN: xshardy-opt %s -p 'xla-gpu-simplify-arith{fast_min_max=true}' | filecheck %s

// CHECK-LABEL: func.func @float_extrema
// CHECK-NEXT:    %0 = arith.cmpf uge, %arg0, %arg1 : f32
// CHECK-NEXT:    %1 = arith.select %0, %arg0, %arg1 : f32
// CHECK-NEXT:    %2 = arith.cmpf ule, %1, %arg1 : f32
// CHECK-NEXT:    %3 = arith.select %2, %1, %arg1 : f32
// CHECK-NEXT:    return %3 : f32
func.func @float_extrema(%x: f32, %y: f32) -> f32 {
  %0 = arith.maximumf %x, %y : f32
  %1 = arith.minimumf %0, %y : f32
  return %1 : f32
}
