// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @of_every_element_type
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xui4>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xf8E5M2>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xcomplex<f32>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.multiply %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.multiply %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xui4>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.multiply %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xf8E5M2>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.multiply %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xcomplex<f32>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.maximum %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.maximum %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xui4>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.maximum %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xf8E5M2>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.maximum %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xcomplex<f32>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.minimum %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.minimum %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xui4>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.minimum %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xf8E5M2>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.minimum %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xcomplex<f32>>
func.func @of_every_element_type(%p: tensor<2xi1>, %u: tensor<2xui4>, %f: tensor<2xf8E5M2>, %c: tensor<2xcomplex<f32>>) {
  %p0 = stablehlo.add %p, %p : tensor<2xi1>
  %u0 = stablehlo.add %u, %u : tensor<2xui4>
  %f0 = stablehlo.add %f, %f : tensor<2xf8E5M2>
  %c0 = stablehlo.add %c, %c : tensor<2xcomplex<f32>>
  %p1 = stablehlo.multiply %p, %p : tensor<2xi1>
  %u1 = stablehlo.multiply %u, %u : tensor<2xui4>
  %f1 = stablehlo.multiply %f, %f : tensor<2xf8E5M2>
  %c1 = stablehlo.multiply %c, %c : tensor<2xcomplex<f32>>
  %p2 = stablehlo.maximum %p, %p : tensor<2xi1>
  %u2 = stablehlo.maximum %u, %u : tensor<2xui4>
  %f2 = stablehlo.maximum %f, %f : tensor<2xf8E5M2>
  %c2 = stablehlo.maximum %c, %c : tensor<2xcomplex<f32>>
  %p3 = stablehlo.minimum %p, %p : tensor<2xi1>
  %u3 = stablehlo.minimum %u, %u : tensor<2xui4>
  %f3 = stablehlo.minimum %f, %f : tensor<2xf8E5M2>
  %c3 = stablehlo.minimum %c, %c : tensor<2xcomplex<f32>>
  func.return
}

// CHECK-LABEL: func.func @of_numbers
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.subtract %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xi16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.subtract %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xbf16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.divide %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xi16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.divide %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xbf16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.remainder %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xi16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.remainder %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xbf16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.power %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xi16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.power %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xbf16>
func.func @of_numbers(%i: tensor<2xi16>, %f: tensor<2xbf16>) {
  %i0 = stablehlo.subtract %i, %i : tensor<2xi16>
  %f0 = stablehlo.subtract %f, %f : tensor<2xbf16>
  %i1 = stablehlo.divide %i, %i : tensor<2xi16>
  %f1 = stablehlo.divide %f, %f : tensor<2xbf16>
  %i2 = stablehlo.remainder %i, %i : tensor<2xi16>
  %f2 = stablehlo.remainder %f, %f : tensor<2xbf16>
  %i3 = stablehlo.power %i, %i : tensor<2xi16>
  %f3 = stablehlo.power %f, %f : tensor<2xbf16>
  func.return
}

// CHECK-LABEL: func.func @of_bits
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.and %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.and %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xui32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.or %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.or %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xui32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.xor %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.xor %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xui32>
func.func @of_bits(%p: tensor<2xi1>, %u: tensor<2xui32>) {
  %p0 = stablehlo.and %p, %p : tensor<2xi1>
  %u0 = stablehlo.and %u, %u : tensor<2xui32>
  %p1 = stablehlo.or %p, %p : tensor<2xi1>
  %u1 = stablehlo.or %u, %u : tensor<2xui32>
  %p2 = stablehlo.xor %p, %p : tensor<2xi1>
  %u2 = stablehlo.xor %u, %u : tensor<2xui32>
  func.return
}

// CHECK-LABEL: func.func @shifts
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.shift_left %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xi64>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.shift_right_arithmetic %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xi64>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.shift_right_logical %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xi64>
func.func @shifts(%u: tensor<2xi64>) {
  %0 = stablehlo.shift_left %u, %u : tensor<2xi64>
  %1 = stablehlo.shift_right_arithmetic %u, %u : tensor<2xi64>
  %2 = stablehlo.shift_right_logical %u, %u : tensor<2xi64>
  func.return
}

// CHECK-LABEL: func.func @atan2
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.atan2 %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xf32>
func.func @atan2(%a: tensor<2xf32>) {
  %0 = stablehlo.atan2 %a, %a : tensor<2xf32>
  func.return
}

// CHECK-LABEL: func.func @complex
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.complex %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xcomplex<f32>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.complex %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<complex<f64>>
func.func @complex(%a: tensor<2xf32>, %b: tensor<f64>) {
  %0 = stablehlo.complex %a, %a : tensor<2xcomplex<f32>>
  %1 = stablehlo.complex %b, %b : tensor<complex<f64>>
  func.return
}

// CHECK-LABEL: func.func @operands_of_different_static_shape
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<?xf32>, tensor<2xf32>) -> tensor<2xf32>
func.func @operands_of_different_static_shape(%a: tensor<?xf32>, %b: tensor<2xf32>) {
  %0 = stablehlo.add %a, %b : (tensor<?xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// CHECK-LABEL: func.func @discardable_attribute
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} {hlo.metadata = {op_name = "f"}} : tensor<f32>
func.func @discardable_attribute(%a: tensor<f32>) {
  %0 = stablehlo.add %a, %a {hlo.metadata = {op_name = "f"}} : tensor<f32>
  func.return
}
