// RUN: xshardy-opt %s -p sdy-add-func-data-flow-edges | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// Nothing flows into the arguments of the main function.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0:2 = call @callee(%arg0, %arg1)
// CHECK-NEXT:    %1 = sdy.func_data_flow_edge %0#0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
// A token has no shape, so it is not sharded.
// CHECK-NEXT:    return %1, %0#1
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %t: !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token) {
  %0:2 = func.call @callee(%x, %t) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, []>]>} : (tensor<8xf32>, !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token)
  return %0#0, %0#1 : tensor<8xf32>, !stablehlo.token
}

// The edges stand in the order of the arguments.
// CHECK-LABEL: func.func private @callee
// CHECK-NEXT:    %0 = sdy.func_data_flow_edge %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
// CHECK-NEXT:    return %0, %arg1
func.func private @callee(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %t: !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token) {
  return %x, %t : tensor<8xf32>, !stablehlo.token
}

// CHECK-LABEL: func.func private @no_shardings
// CHECK-NEXT:    %0 = sdy.func_data_flow_edge %arg0 : tensor<8xf32>
// CHECK-NEXT:    %1 = sdy.func_data_flow_edge %arg1 : tensor<8xf32>
func.func private @no_shardings(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  return %x, %y : tensor<8xf32>, tensor<8xf32>
}
