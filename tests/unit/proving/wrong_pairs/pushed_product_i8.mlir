// Sums of i8 wrap around before the product in i32 does.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %y: tensor<4xi8>) -> (tensor<i32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %p = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<4xi8>, tensor<4xi8>) -> tensor<i32>
    return %p : tensor<i32>
  }
}

// -----

module {
  func.func @main(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<i32> {
    %p = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<4xi8>, tensor<4xi8>) -> tensor<i32>
    %s = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %7 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %7 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    return %s : tensor<i32>
  }
}
