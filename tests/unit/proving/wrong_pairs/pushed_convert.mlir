// Real summands are rounded to integers before they are summed.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<3x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.convert %0 : (tensor<3xf32>) -> tensor<3xi32>
    return %1 : tensor<3xi32>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<3x4xf32>) -> tensor<3xi32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.convert %0 : (tensor<3xf32>) -> tensor<3xi32>
    %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %3 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }) : (tensor<3xi32>) -> tensor<3xi32>
    return %2 : tensor<3xi32>
  }
}
