// The second device updates at another index.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<3xf32>) -> tensor<8xf32> {
    %0 = stablehlo.dynamic_update_slice %arg0, %arg3, %arg1 : (tensor<8xf32>, tensor<3xf32>, tensor<i32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<3xf32>) -> tensor<8xf32> {
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.compare EQ, %0, %c : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %2 = stablehlo.select %1, %arg1, %arg2 : tensor<i1>, tensor<i32>
    %3 = stablehlo.dynamic_update_slice %arg0, %arg3, %2 : (tensor<8xf32>, tensor<3xf32>, tensor<i32>) -> tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
