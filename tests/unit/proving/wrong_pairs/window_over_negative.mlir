// Negative positions are no padding.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main() -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %c = stablehlo.constant dense<5> : tensor<8xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<8xi32>
    %1 = stablehlo.subtract %0, %c : tensor<8xi32>
    %2 = stablehlo.maximum %1, %c_0 : tensor<8xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = "stablehlo.reduce_window"(%1, %c_1) <{padding = dense<[[1, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>}> ({
    ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>):
      %4 = stablehlo.add %arg0, %arg1 : tensor<i32>
      stablehlo.return %4 : tensor<i32>
    }) : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
    return %3 : tensor<8xi32>
  }
}

// -----

module {
  func.func @main() -> tensor<8xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %c = stablehlo.constant dense<5> : tensor<8xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<8xi32>
    %1 = stablehlo.subtract %0, %c : tensor<8xi32>
    %2 = stablehlo.maximum %1, %c_0 : tensor<8xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = "stablehlo.reduce_window"(%2, %c_1) <{padding = dense<[[1, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>}> ({
    ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>):
      %4 = stablehlo.add %arg0, %arg1 : tensor<i32>
      stablehlo.return %4 : tensor<i32>
    }) : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
    return %3 : tensor<8xi32>
  }
}
