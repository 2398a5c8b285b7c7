// Summands of 8 bits are widened before they are summed, so that the sum does not wrap around.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<3x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i8>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<3x8xi8>, tensor<i8>) -> tensor<3xi8>
    %1 = stablehlo.convert %0 : (tensor<3xi8>) -> tensor<3xi32>
    return %1 : tensor<3xi32>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<3x4xi8>) -> tensor<3xi32> {
    %c = stablehlo.constant dense<0> : tensor<i8>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<3x4xi8>, tensor<i8>) -> tensor<3xi8>
    %1 = stablehlo.convert %0 : (tensor<3xi8>) -> tensor<3xi32>
    %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %3 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }) : (tensor<3xi32>) -> tensor<3xi32>
    return %2 : tensor<3xi32>
  }
}
