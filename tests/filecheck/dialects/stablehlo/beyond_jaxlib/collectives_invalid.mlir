// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: collective_broadcast requires at least one data operand
func.func @broadcast_of_nothing() {
  "stablehlo.collective_broadcast"() <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : () -> ()
  func.return
}

// -----

// CHECK: collective_broadcast with has_dynamic_root=true requires at least two operands (data + root)
func.func @broadcast_root_alone(%root: tensor<1xi32>) {
  %0 = "stablehlo.collective_broadcast"(%root) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1xi32>) -> tensor<1xi32>
  func.return
}

// -----

// CHECK: last operand of collective_broadcast with has_dynamic_root=true must be a rank-1 i32 tensor, but got 'tensor<1xi64>'
func.func @broadcast_root_elements(%a: tensor<2xf32>, %root: tensor<1xi64>) {
  %0 = "stablehlo.collective_broadcast"(%a, %root) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, tensor<1xi64>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: last operand of collective_broadcast with has_dynamic_root=true must be a rank-1 i32 tensor, but got 'tensor<i32>'
func.func @broadcast_root_rank(%a: tensor<2xf32>, %root: tensor<i32>) {
  %0 = "stablehlo.collective_broadcast"(%a, %root) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: last operand of collective_broadcast with has_dynamic_root=true must have the same number of elements as data operands (1), but got 2
func.func @broadcast_root_count(%a: tensor<2xf32>, %root: tensor<2xi32>) {
  %0 = "stablehlo.collective_broadcast"(%a, %root) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf32>', 'tensor<1xi32>'
func.func @broadcast_root_as_result(%a: tensor<2xf32>, %root: tensor<1xi32>) {
  %0:2 = "stablehlo.collective_broadcast"(%a, %root) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, tensor<1xi32>) -> (tensor<2xf32>, tensor<1xi32>)
  func.return
}

// -----

// CHECK: last operand of collective_reduce with has_dynamic_root=true must have the same number of elements as data operands (1), but got 2
func.func @reduce_root_count(%a: tensor<2xf32>, %root: tensor<2xi32>) {
  %0 = "stablehlo.collective_reduce"(%a, %root) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: Reduction-region must take 2 parameters, but takes 1 parameter(s)
func.func @reduce_parameters(%a: tensor<2xf32>) {
  %0 = "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: channel_id must be positive when useGlobalDeviceIds is set but got: 0
func.func @reduce_global_ids(%a: tensor<2xf32>) {
  %0 = "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'
func.func @reduce_result(%a: tensor<2xf32>) {
  %0 = "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<3xf32>
  func.return
}
