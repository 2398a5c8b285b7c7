// RUN: xshardy-opt %s -p sdy-remove-needless-reshards | filecheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// CHECK-LABEL: func.func @same_sharding
// CHECK-NEXT: %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
// CHECK-NEXT: %1 = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
// CHECK-NEXT: return %0, %1, %0
func.func @same_sharding(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
  %2 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// The reshard of a branch does not dominate what comes after it; that before it dominates both branches.
// CHECK-LABEL: func.func @branches
// CHECK-NEXT: %0 = sdy.reshard %arg1 <@mesh, [{"y"}]>
// CHECK:      sdy.reshard %arg1 <@mesh, [{"x"}]>
// CHECK:      stablehlo.return %0
// CHECK:      sdy.reshard %arg1 <@mesh, [{"x"}]>
func.func @branches(%arg0: tensor<i1>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.reshard %arg1 <@mesh, [{"y"}]> : tensor<8xf32>
  %1 = "stablehlo.if"(%arg0) ({
    %3 = sdy.reshard %arg1 <@mesh, [{"x"}]> : tensor<8xf32>
    stablehlo.return %3 : tensor<8xf32>
  }, {
    %3 = sdy.reshard %arg1 <@mesh, [{"y"}]> : tensor<8xf32>
    stablehlo.return %3 : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  %2 = sdy.reshard %arg1 <@mesh, [{"x"}]> : tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @computed_by_each_device
// CHECK-DAG:  stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
// CHECK-DAG:  stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>}
// CHECK-DAG:  stablehlo.broadcast_in_dim %arg0, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>}
// CHECK-NOT:  sdy.reshard
func.func @computed_by_each_device(%arg0: tensor<i32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) {
  %0 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xi32>
  %1 = sdy.reshard %0 <@mesh, [{"y"}]> : tensor<8xi32>
  %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<i32>) -> tensor<8xi32>
  %3 = sdy.reshard %2 <@mesh, [{"y"}]> : tensor<8xi32>
  return %0, %1, %3 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>
}

// Neither reshard of the reshard stands in for the other: both are computed anew.
// CHECK-LABEL: func.func @reshards_of_a_reshard
// CHECK-NEXT: stablehlo.iota dim = 0 : tensor<8xi32>
// CHECK-NEXT: stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
// CHECK-NEXT: %[[A:.*]] = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>}
// CHECK-NEXT: %[[B:.*]] = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>}
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @reshards_of_a_reshard() -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xi32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}]> : tensor<8xi32>
  %2 = sdy.reshard %1 <@mesh, [{"y"}]> : tensor<8xi32>
  %3 = sdy.reshard %1 <@mesh, [{"y"}]> : tensor<8xi32>
  return %2, %3 : tensor<8xi32>, tensor<8xi32>
}

// A broadcast along a dimension has elements of a tensor, which may be elsewhere.
// CHECK-LABEL: func.func @broadcast_of_a_vector
// CHECK: sdy.reshard
func.func @broadcast_of_a_vector(%arg0: tensor<8xi32>) -> tensor<8x8xi32> {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}, {}]> : tensor<8x8xi32>
  return %1 : tensor<8x8xi32>
}
