// Nor are numbers that are made of them.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %c = stablehlo.constant dense<5> : tensor<8xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<8xi32>
    %1 = stablehlo.subtract %0, %c : tensor<8xi32>
    %2 = stablehlo.maximum %1, %c_0 : tensor<8xi32>
    %3 = stablehlo.convert %0 : (tensor<8xi32>) -> tensor<8xf32>
    %4 = stablehlo.convert %1 : (tensor<8xi32>) -> tensor<8xf32>
    %5 = stablehlo.convert %2 : (tensor<8xi32>) -> tensor<8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = "stablehlo.reduce_window"(%4, %cst) <{padding = dense<[[1, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %8 = stablehlo.add %arg0, %arg1 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %7 = stablehlo.add %6, %6 : tensor<8xf32>
    return %7 : tensor<8xf32>
  }
}

// -----

module {
  func.func @main() -> tensor<8xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %c = stablehlo.constant dense<5> : tensor<8xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<8xi32>
    %1 = stablehlo.subtract %0, %c : tensor<8xi32>
    %2 = stablehlo.maximum %1, %c_0 : tensor<8xi32>
    %3 = stablehlo.convert %0 : (tensor<8xi32>) -> tensor<8xf32>
    %4 = stablehlo.convert %1 : (tensor<8xi32>) -> tensor<8xf32>
    %5 = stablehlo.convert %2 : (tensor<8xi32>) -> tensor<8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = "stablehlo.reduce_window"(%5, %cst) <{padding = dense<[[1, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %8 = stablehlo.add %arg0, %arg1 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %7 = stablehlo.add %6, %6 : tensor<8xf32>
    return %7 : tensor<8xf32>
  }
}
