// Sums of i8 wrap around before the sum in i32 does.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<i32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %p = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %0 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %0 : tensor<i32>
    }) : (tensor<4xi8>, tensor<i32>) -> tensor<i32>
    return %p : tensor<i32>
  }
}

// -----

module {
  func.func @main(%x: tensor<4xi8>) -> tensor<i32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %p = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %0 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %0 : tensor<i32>
    }) : (tensor<4xi8>, tensor<i32>) -> tensor<i32>
    %s = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %7 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %7 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    return %s : tensor<i32>
  }
}
