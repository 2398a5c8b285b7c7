// RUN: xshardy-opt %s -p sdy-scatter-sliced-reductions | filecheck %s
// RUN: xshardy-opt %s -p sdy-canonicalize-collectives | filecheck %s --check-prefix=CANONICAL

sdy.mesh @mesh = <["data"=2, "fsdp"=4, "model"=2]>

// The gradient of a weight that is sharded along fsdp, of a batch that is sharded along data and fsdp.
// CHECK-LABEL: func.func @gradient
// CHECK:      %[[SUM:.*]] = sdy.reduce_scatter [{"fsdp"}, {}] %arg0 out_sharding=<@mesh, [{"fsdp"}, {"model"}]>
// CHECK-NEXT: %[[ALL:.*]] = sdy.all_reduce {"data"} %[[SUM]] out_sharding=<@mesh, [{"fsdp"}, {"model"}]>
// CHECK-NEXT: return %[[ALL]]
// CANONICAL-LABEL: func.func @gradient
// CANONICAL:      sdy.all_reduce {"data", "fsdp"}
// CANONICAL-NEXT: sdy.all_slice
func.func @gradient(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {"model"}]>}) {
  %0 = sdy.all_reduce {"data", "fsdp"} %arg0 out_sharding=<@mesh, [{}, {"model"}]> : tensor<8x16xf32>
  %1 = sdy.all_slice [{"fsdp"}, {}] %0 out_sharding=<@mesh, [{"fsdp"}, {"model"}]> : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// Other axes are sliced afterwards; the kind of reduction stays.
// CHECK-LABEL: func.func @maximum_sliced_further
// CHECK:      %[[MAX:.*]] = sdy.reduce_scatter max [{"fsdp"}, {}] %arg0 out_sharding=<@mesh, [{"fsdp"}, {}]>
// CHECK-NEXT: %[[ALL:.*]] = sdy.all_reduce max {"data"} %[[MAX]] out_sharding=<@mesh, [{"fsdp"}, {}]>
// CHECK-NEXT: %[[PART:.*]] = sdy.all_slice [{}, {"model"}] %[[ALL]] out_sharding=<@mesh, [{"fsdp"}, {"model"}]>
// CHECK-NEXT: return %[[PART]]
func.func @maximum_sliced_further(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {"model"}]>}) {
  %0 = sdy.all_reduce max {"data", "fsdp"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
  %1 = sdy.all_slice [{"fsdp"}, {"model"}] %0 out_sharding=<@mesh, [{"fsdp"}, {"model"}]> : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// What is marked unreduced stays so until it is reduced.
// CHECK-LABEL: func.func @marked_unreduced
// CHECK:      %[[SUM:.*]] = sdy.reduce_scatter [{"fsdp"}, {}] %arg0 out_sharding=<@mesh, [{"fsdp"}, {}], unreduced={"data", "model"}>
// CHECK-NEXT: %[[ALL:.*]] = sdy.all_reduce {"data"} %[[SUM]] out_sharding=<@mesh, [{"fsdp"}, {}], unreduced={"model"}>
// CHECK-NEXT: return %[[ALL]]
func.func @marked_unreduced(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"data", "fsdp", "model"}>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {}], unreduced={"model"}>}) {
  %0 = sdy.all_reduce {"data", "fsdp"} %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"model"}> : tensor<8x16xf32>
  %1 = sdy.all_slice [{"fsdp"}, {}] %0 out_sharding=<@mesh, [{"fsdp"}, {}], unreduced={"model"}> : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// Something else reads the whole sum.
// CHECK-LABEL: func.func @read_twice
// CHECK:      sdy.all_reduce {"data", "fsdp"}
// CHECK-NEXT: sdy.all_slice
func.func @read_twice(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}]>}) {
  %0 = sdy.all_reduce {"data", "fsdp"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.all_slice [{"fsdp"}] %0 out_sharding=<@mesh, [{"fsdp"}]> : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// The parts along fsdp are within parts along model: a scatter along fsdp would give other parts.
// CHECK-LABEL: func.func @another_axis_first
// CHECK:      sdy.all_reduce {"data", "fsdp"}
// CHECK-NEXT: sdy.all_slice
func.func @another_axis_first(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model", "fsdp"}]>}) {
  %0 = sdy.all_reduce {"data", "fsdp"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.all_slice [{"model", "fsdp"}] %0 out_sharding=<@mesh, [{"model", "fsdp"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @no_axis_in_common
// CHECK:      sdy.all_reduce {"data"}
// CHECK-NEXT: sdy.all_slice
func.func @no_axis_in_common(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}]>}) {
  %0 = sdy.all_reduce {"data"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.all_slice [{"fsdp"}] %0 out_sharding=<@mesh, [{"fsdp"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
