// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// What jaxlib's MLIR does not have yet.

// CHECK-LABEL: func.func @collective_broadcast_of_several
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = "stablehlo.collective_broadcast"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xi64>, tensor<3xf32>) -> (tensor<2xi64>, tensor<3xf32>)
func.func @collective_broadcast_of_several(%a: tensor<2xi64>, %b: tensor<3xf32>) {
  %0:2 = "stablehlo.collective_broadcast"(%a, %b) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xi64>, tensor<3xf32>) -> (tensor<2xi64>, tensor<3xf32>)
  func.return
}

// The last operand says which device of the group has the values.
// CHECK-LABEL: func.func @collective_broadcast_dynamic_root
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.collective_broadcast"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xi64>, tensor<1xi32>) -> tensor<2xi64>
func.func @collective_broadcast_dynamic_root(%a: tensor<2xi64>, %root: tensor<1xi32>) {
  %0 = "stablehlo.collective_broadcast"(%a, %root) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xi64>, tensor<1xi32>) -> tensor<2xi64>
  func.return
}

// CHECK-LABEL: func.func @collective_reduce
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.collective_reduce"(%{{[^ ,:)]+}}) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>):
// CHECK-NEXT:      %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:    }) : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = "stablehlo.collective_reduce"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>):
// CHECK-NEXT:      stablehlo.return %{{[^ ,:)]+}} : tensor<f32>
// CHECK-NEXT:    }) : (tensor<2xf32>, tensor<3xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<3xf32>)
func.func @collective_reduce(%a: tensor<2xf32>, %b: tensor<3xf32>, %root: tensor<2xi32>) {
  %0 = "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  %2:2 = "stablehlo.collective_reduce"(%a, %b, %root) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<2xf32>, tensor<3xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<3xf32>)
  func.return
}
