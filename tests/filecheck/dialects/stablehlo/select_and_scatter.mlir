// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @all_attributes
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.select_and_scatter"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{padding = dense<{{\[\[}}0, 0], [1, 2]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 2>}> ({
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>):
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.compare GE, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT:    stablehlo.return %{{[^ ,:)]+}} : tensor<i1>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>):
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:    stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:    }) : (tensor<10x24xf32>, tensor<5x13xf32>, tensor<f32>) -> tensor<10x24xf32>
func.func @all_attributes(%a: tensor<10x24xf32>, %s: tensor<5x13xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{padding = dense<[[0, 0], [1, 2]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare GE, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<10x24xf32>, tensor<5x13xf32>, tensor<f32>) -> tensor<10x24xf32>
  return
}

// CHECK-LABEL: func.func @accumulates_in_f32
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.select_and_scatter"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{window_dimensions = array<i64: 2>}> ({
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<bf16>, %{{[^ ,:)]+}}: tensor<bf16>):
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.compare GE, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
// CHECK-NEXT:    stablehlo.return %{{[^ ,:)]+}} : tensor<i1>
// CHECK-NEXT:    }, {
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>):
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:    stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:    }) : (tensor<4xbf16>, tensor<3xbf16>, tensor<bf16>) -> tensor<4xf32>
func.func @accumulates_in_f32(%a: tensor<4xbf16>, %s: tensor<3xbf16>, %i: tensor<bf16>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
    %1 = stablehlo.compare GE, %x, %y : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xbf16>, tensor<3xbf16>, tensor<bf16>) -> tensor<4xf32>
  return
}
