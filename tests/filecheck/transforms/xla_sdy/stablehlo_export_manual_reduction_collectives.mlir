// RUN: xshardy-opt %s -p xla-sdy-stablehlo-export-manual-reduction-collectives --split-input-file | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// The first free channel is 6. A sum of what is not unreduced is left to the partitioner.
// CHECK-LABEL: func.func @reductions
// CHECK:         sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"b"}], unreduced={"a"}>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"a", "b"} (%arg4: tensor<4xf32>) {
// CHECK-NEXT:      "stablehlo.all_reduce"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, replica_groups = dense<{{\[\[}}0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}>
// CHECK:             stablehlo.add
// CHECK:         sdy.manual_computation(%arg1) {{.*}} (%arg4: tensor<8xf32>) {
// CHECK-NEXT:      "stablehlo.reduce_scatter"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, {{.*}} scatter_dimension = 0 : i64
// CHECK:             stablehlo.maximum
// CHECK:         (tensor<8xf32>) -> tensor<4xf32>
// CHECK:         sdy.all_reduce {"a"} %arg2
// CHECK-NEXT:    sdy.all_reduce {"a"} %arg3
func.func @reductions(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}], unreduced={"a"}>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"a"}>}, %z: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %w: tensor<8xf32>) {
  %t = stablehlo.create_token : !stablehlo.token
  %s = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
  %0 = sdy.all_reduce {"a"} %x out_sharding=<@mesh, [{"b"}]> : tensor<8xf32>
  %1 = sdy.reduce_scatter max [{"a"}] %y out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  %2 = sdy.all_reduce {"a"} %z out_sharding=<@mesh, [{"b"}]> : tensor<8xf32>
  %3 = sdy.all_reduce {"a"} %w out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>

// Tables say by device where its part goes, and which device keeps its value.
// CHECK-LABEL: func.func @unreducing
// CHECK-NEXT:    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{}, {}], unreduced={"a"}>] manual_axes={"a", "b"} (%arg1: tensor<4x2xf32>) {
// CHECK:           stablehlo.constant dense<[4, 4, 0, 0]> : tensor<4xi64>
// CHECK:           stablehlo.partition_id
// CHECK:           stablehlo.dynamic_update_slice %{{.*}}, %arg1, %{{.*}}, %{{.*}} : (tensor<8x2xf32>, tensor<4x2xf32>, tensor<i64>, tensor<i64>) -> tensor<8x2xf32>
// CHECK:         %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} dense<1.000000e+00>
// CHECK-NEXT:    %2 = sdy.manual_computation(%1) {{.*}} out_shardings=[<@mesh, [{}, {}], unreduced={"b"}>]
// CHECK:           stablehlo.constant dense<[1, 0, 1, 0]> : tensor<4xi64>
// CHECK:           stablehlo.compare EQ
// CHECK:           stablehlo.select
// CHECK:         return %0, %2
func.func @unreducing(%x: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  %0 = sdy.sharded_to_unreduced [{"a"}, {}] %x out_sharding=<@mesh, [{}, {}], unreduced={"a"}> : tensor<8x2xf32>
  %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"b"}>]>} dense<1.0> : tensor<8x2xf32>
  return %0, %1 : tensor<8x2xf32>, tensor<8x2xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=2]>

// What moves data passes on that its result is unreduced; what computes does not.
// CHECK-LABEL: func.func @pass_on
// CHECK-NEXT:    %0 = stablehlo.sine %arg0 : tensor<8x2xf32>
// CHECK-NEXT:    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>}
// CHECK-NEXT:    %2 = stablehlo.transpose %1, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}], unreduced={"a"}>]>}
// CHECK-NEXT:    %3 = mhlo.copy %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>}
func.func @pass_on(%x: tensor<8x2xf32>) -> tensor<2x8xf32> {
  %0 = stablehlo.sine %x : tensor<8x2xf32>
  %1 = stablehlo.negate %0 : tensor<8x2xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x2xf32>) -> tensor<2x8xf32>
  %3 = mhlo.copy %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>} : tensor<2x8xf32>
  return %3 : tensor<2x8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=2]>

// The first device along the axes keeps its part, and the others have zeros.
// CHECK-LABEL: func.func @replicated_to_unreduced
// CHECK:           stablehlo.constant dense<[0, 1, 0, 1]> : tensor<4xi64>
// CHECK:           %[[NUMBER:.*]] = stablehlo.reshape %{{.*}} : (tensor<1xi64>) -> tensor<i64>
// CHECK-NEXT:      %[[FIRST:.*]] = stablehlo.constant dense<0> : tensor<i64>
// CHECK-NEXT:      %[[IS_FIRST:.*]] = stablehlo.compare EQ, %[[NUMBER]], %[[FIRST]]
// CHECK:           stablehlo.select %[[IS_FIRST]], %arg1, %{{.*}} : tensor<i1>, tensor<4xf32>
func.func @replicated_to_unreduced(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = sdy.replicated_to_unreduced {"b"} %x out_sharding=<@mesh, [{"a"}], unreduced={"b"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
