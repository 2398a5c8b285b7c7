// RUN: xshardy-opt %s -p 'xla-gpu-simplify-arith{explicit_nan_propagation=true}' | filecheck %s

// A NaN in either operand is the result.

// CHECK-LABEL: func.func @scalar(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK-NEXT:    %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK-NEXT:    %[[ORDERED:.*]] = arith.cmpf ord, %[[X]], %[[Y]] : f32
// CHECK-NEXT:    %[[GREATER:.*]] = arith.cmpf oge, %[[X]], %[[Y]] : f32
// CHECK-NEXT:    %[[CHOSEN:.*]] = arith.select %[[GREATER]], %[[X]], %[[Y]] : f32
// CHECK-NEXT:    %[[R:.*]] = arith.select %[[ORDERED]], %[[CHOSEN]], %[[NAN]] : f32
// CHECK-NEXT:    return %[[R]] : f32
func.func @scalar(%x: f32, %y: f32) -> f32 {
  %0 = arith.maximumf %x, %y : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @vector(
// CHECK:         arith.constant dense<0x7E00> : vector<2xf16>
// CHECK:         arith.cmpf ole
func.func @vector(%x: vector<2xf16>, %y: vector<2xf16>) -> vector<2xf16> {
  %0 = arith.minimumf %x, %y : vector<2xf16>
  return %0 : vector<2xf16>
}
