// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @all_reduce
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.async_start"(%{{[^ ,:)]+}}) ({
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<4xf32>):
// CHECK-NEXT:      %{{[^ ,:)]+}} = "stablehlo.all_reduce"(%{{[^ ,:)]+}}) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
// CHECK-NEXT:      ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>):
// CHECK-NEXT:        %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:        stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:      }) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}} : tensor<4xf32>
// CHECK-NEXT:    }) {mhlo.attribute = "kept"} : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.async_done"(%{{[^ ,:)]+}}) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
func.func @all_reduce(%a: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%b: tensor<4xf32>):
    %1 = "stablehlo.all_reduce"(%b) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %2 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) {mhlo.attribute = "kept"} : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  %3 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  func.return
}

func.func private @future(!stablehlo.future<tensor<4xf32>, tensor<?xi8>>)
