// RUN: xshardy-opt %s -p xla-sdy-stablehlo-export-manual-reduction-collectives | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// One collective for each dimension that is scattered.
// CHECK-LABEL: func.func @scattered(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "b"}>}) {
// CHECK-NEXT:    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}, {}], unreduced={"b"}>] out_shardings=[<@mesh, [{}, {"b"}]>] manual_axes={"a", "b"} (%arg2: tensor<8x8xf32>) {
// CHECK-NEXT:      %2 = "stablehlo.reduce_scatter"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[{{\[}}0, 1], [2, 3]]> : tensor<2x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
// CHECK-NEXT:      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT:        %3 = stablehlo.add %arg3, %arg4 : tensor<f32>
// CHECK-NEXT:        stablehlo.return %3 : tensor<f32>
// CHECK-NEXT:      }) : (tensor<8x8xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:      sdy.return %2 : tensor<8x4xf32>
// CHECK-NEXT:    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT:    %1 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{}, {}], unreduced={"a", "b"}>] out_shardings=[<@mesh, [{"a"}, {"b"}]>] manual_axes={"a", "b"} (%arg2: tensor<8x8xf32>) {
// CHECK-NEXT:      %2 = "stablehlo.reduce_scatter"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[{{\[}}0, 2], [1, 3]]> : tensor<2x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
// CHECK-NEXT:      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT:        %4 = stablehlo.add %arg3, %arg4 : tensor<f32>
// CHECK-NEXT:        stablehlo.return %4 : tensor<f32>
// CHECK-NEXT:      }) : (tensor<8x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:      %3 = "stablehlo.reduce_scatter"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[{{\[}}0, 1], [2, 3]]> : tensor<2x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
// CHECK-NEXT:      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
// CHECK-NEXT:        %4 = stablehlo.add %arg3, %arg4 : tensor<f32>
// CHECK-NEXT:        stablehlo.return %4 : tensor<f32>
// CHECK-NEXT:      }) : (tensor<4x8xf32>) -> tensor<4x4xf32>
// CHECK-NEXT:      sdy.return %3 : tensor<4x4xf32>
// CHECK-NEXT:    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT:    return
func.func @scattered(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "b"}>}) {
  %0 = sdy.reduce_scatter [{}, {"b"}] %x out_sharding=<@mesh, [{}, {"b"}]> : tensor<8x8xf32>
  %1 = sdy.reduce_scatter [{"a"}, {"b"}] %y out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<8x8xf32>
  return
}
