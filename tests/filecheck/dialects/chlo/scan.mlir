// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @running_sum
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = chlo.scan(%{{[^ ,:)]+}}) inits (%{{[^ ,:)]+}}) dimension=0  attributes {is_associative = false, is_reverse = true, mhlo.note} {
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<4xf32>, %{{[^ ,:)]+}}: tensor<4xf32>):
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<4xf32>
// CHECK-NEXT:    stablehlo.return %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT:    } : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>)
func.func @running_sum(%a: tensor<3x4xf32>, %c: tensor<4xf32>) {
  %0:2 = chlo.scan(%a) inits (%c) dimension=0 attributes {is_reverse = true, is_associative = false, mhlo.note} {
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    %s = stablehlo.add %x, %y : tensor<4xf32>
    stablehlo.return %s, %s : tensor<4xf32>, tensor<4xf32>
  } : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: func.func @no_inputs
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = chlo.scan() inits (%{{[^ ,:)]+}}) dimension=0  attributes {scan_dim_size = 5 : i64} {
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<f32>):
// CHECK-NEXT:    stablehlo.return %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<f32>, tensor<f32>
// CHECK-NEXT:    } : (tensor<f32>) -> (tensor<5xf32>, tensor<f32>)
func.func @no_inputs(%c: tensor<f32>) {
  %0:2 = chlo.scan() inits (%c) dimension=0 attributes {scan_dim_size = 5 : i64} {
  ^bb0(%y: tensor<f32>):
    stablehlo.return %y, %y : tensor<f32>, tensor<f32>
  } : (tensor<f32>) -> (tensor<5xf32>, tensor<f32>)
  return
}
