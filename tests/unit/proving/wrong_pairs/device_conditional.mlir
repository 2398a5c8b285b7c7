// Device 0 computes the sine, and the other one adds its operand instead of zeros.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<4xf32> {
  %0 = stablehlo.sine %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  %1 = stablehlo.constant dense<0> : tensor<ui32>
  %2 = stablehlo.compare EQ, %0, %1 : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
  %3 = "stablehlo.if"(%2) ({
    %5 = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %5 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %4 = "stablehlo.all_reduce"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %6 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %6 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}
}
