// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s
// CHECK-NOT: sharding_rule

func.func @nothing_to_walk() -> (tensor<8x4xf32>, tensor<8x4xi32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<8x4xf32>
  %1 = stablehlo.iota dim = 0 : tensor<8x4xi32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xi32>
}

func.func @propagated_along_edges(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.optimization_barrier %x : tensor<8x4xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8x4xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

func.func private @callee(tensor<8x4xf32>) -> tensor<8x4xf32>

func.func @call(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = func.call @callee(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

func.func @order_only(%x: tensor<8x4xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  %0 = stablehlo.after_all %t, %t : !stablehlo.token
  %1 = "stablehlo.outfeed"(%x, %0) {outfeed_config = ""} : (tensor<8x4xf32>, !stablehlo.token) -> !stablehlo.token
  return %1 : !stablehlo.token
}
