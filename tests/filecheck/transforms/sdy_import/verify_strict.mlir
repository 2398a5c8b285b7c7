// RUN: xshardy-opt %s -p sdy-verify-strict | filecheck %s

// Meshes of 8 devices, of one device, and the placeholder.
// CHECK: sdy.mesh @mesh
sdy.mesh @mesh = <["a"=2, "b"=4]>
sdy.mesh @as_many = <["x"=8]>
sdy.mesh @maximal = <[], device_ids=[3]>
sdy.mesh @placeholder = <[]>

// An empty dimension that is replicated, beside others that are sharded.
func.func @replicated(%x: tensor<0x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}], replicated={"b"}>}) -> tensor<0x8xf32> {
  %0 = sdy.reshard %x <@mesh, [{}, {"b"}]> : tensor<0x8xf32>
  return %0 : tensor<0x8xf32>
}

// Collectives that keep the unreduced axes that they do not reduce, and those that make a tensor unreduced.
func.func @unreduced(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> tensor<8x8xf32> {
  %0 = sdy.all_gather [{"a"}, {}] %x out_sharding=<@mesh, [{}, {}], unreduced={"b"}> : tensor<8x8xf32>
  %1 = sdy.replicated_to_unreduced {"a"} %0 out_sharding=<@mesh, [{}, {}], unreduced={"a", "b"}> : tensor<8x8xf32>
  %2 = sdy.reduce_scatter [{"b":(1)2}, {"a"}] %1 out_sharding=<@mesh, [{"b":(1)2}, {"a"}], unreduced={"b":(2)2}> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
