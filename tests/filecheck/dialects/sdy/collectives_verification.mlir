// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: collective on operand without sharding
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{"a"}, {}] %x out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: collective on operand without sharding
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.all_to_all [{"a"}: 0->1] %x out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: collective on operand without sharding
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.collective_permute %x out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: collective on operand without sharding
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.sharded_to_unreduced [{"a"}, {}] %x out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: collective on operand without sharding
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.replicated_to_unreduced {"b"} %x out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: 'sdy.all_gather' op unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{}, {}] %x out_sharding=<@mesh, [{"q"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result mesh does not match operand mesh
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{}, {}] %x out_sharding=<@pair, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: 'sdy.all_slice' op unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_slice [{}, {}] %x out_sharding=<@mesh, [{"q"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result mesh does not match operand mesh
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_slice [{}, {}] %x out_sharding=<@pair, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: 'sdy.all_reduce' op unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {} %x out_sharding=<@mesh, [{"q"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result mesh does not match operand mesh
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {} %x out_sharding=<@pair, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: 'sdy.reduce_scatter' op unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.reduce_scatter [{}, {}] %x out_sharding=<@mesh, [{"q"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result mesh does not match operand mesh
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.reduce_scatter [{}, {}] %x out_sharding=<@pair, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: 'sdy.all_to_all' op unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_to_all [{"a"}: 0->1] %x out_sharding=<@mesh, [{"q"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result mesh does not match operand mesh
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_to_all [{"a"}: 0->1] %x out_sharding=<@pair, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: 'sdy.collective_permute' op unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.collective_permute %x out_sharding=<@mesh, [{"q"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: 'sdy.sharded_to_unreduced' op unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.sharded_to_unreduced [{}, {}] %x out_sharding=<@mesh, [{"q"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result mesh does not match operand mesh
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.sharded_to_unreduced [{}, {}] %x out_sharding=<@pair, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: 'sdy.replicated_to_unreduced' op unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.replicated_to_unreduced {"b"} %x out_sharding=<@mesh, [{"q"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result mesh does not match operand mesh
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.replicated_to_unreduced {"b"} %x out_sharding=<@pair, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result mesh has different axes than operand mesh
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.collective_permute %x out_sharding=<@pair, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result mesh name is different but same device ids as operand
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
sdy.mesh @twin = <["e"=2]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@pair, [{"e"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.collective_permute %x out_sharding=<@twin, [{"e"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: sharded size of result doesn't match operand on dimension 1: 8 != 2
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"d"}]>}) -> tensor<16x8xf32> {
  %0 = sdy.collective_permute %x out_sharding=<@mesh, [{"b"}, {"c"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{"q"}, {}] %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: duplicate axis ref: "b"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{"b"}, {"b"}] %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: two consecutive sub-axes can be merged: "c":(1)2, "c":(2)4
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{"c":(1)2, "c":(2)4}, {}] %x out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result sharding has rank 2 but collective axes has rank 1
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{"a"}] %x out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: can't apply gathering axis "b" to operand sharding on dimension 0
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{"b"}, {}] %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: can't apply gathering axis "a" to operand sharding on dimension 0
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{"a"}, {}] %x out_sharding=<@mesh, [{"b"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: can't apply gathering axis "c":(1)2 to operand sharding on dimension 0
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{"c":(1)2}, {}] %x out_sharding=<@mesh, [{"c":(2)4}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result sharding doesn't match expected sharding ["a"] on dimension 0
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{"b"}, {}] %x out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result sharding doesn't match expected sharding ["c":(1)2] on dimension 0
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{"c":(2)4}, {}] %x out_sharding=<@mesh, [{"c":(1)4}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: duplicate axis ref: "b"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.all_slice [{"b"}, {"b"}] %x out_sharding=<@mesh, [{"b"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result sharding has rank 2 but collective axes has rank 3
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.all_slice [{"a"}, {}, {}] %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result sharding doesn't match expected sharding ["a", "b"] on dimension 0
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_slice [{"b"}, {}] %x out_sharding=<@mesh, [{"b", "a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result sharding doesn't match expected sharding ["c"] on dimension 0
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(1)2}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_slice [{"c":(2)4}, {}] %x out_sharding=<@mesh, [{"c":(1)4}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: parameter list is empty
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_to_all [] %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: source dimension 2 is out of range [0, 2)
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_to_all [{"a"}: 2->1] %x out_sharding=<@mesh, [{}, {"a"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: target dimension -1 is out of range [0, 2)
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_to_all [{"a"}: 0->-1] %x out_sharding=<@mesh, [{}, {"a"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: overlapping source/target dimensions in all-to-all params: 0
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_to_all [{"a"}: 0->0] %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: two consecutive sub-axes can be merged: "c":(1)2, "c":(2)4
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_to_all [{"c":(1)2, "c":(2)4}: 0->1] %x out_sharding=<@mesh, [{}, {"c"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: can't apply all-to-all axis "b" to operand sharding on dimension 0
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_to_all [{"b"}: 0->1] %x out_sharding=<@mesh, [{}, {"b"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result sharding doesn't match expected sharding ["d", "a"] on dimension 1
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"d"}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_to_all [{"a"}: 0->1] %x out_sharding=<@mesh, [{}, {"a", "d"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: source dimensions are not sorted in ascending order: 0 appears after 1
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<8x8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c"}, {}, {}]>}) -> tensor<8x8x4x4xf32> {
  %0 = sdy.all_to_all [{"c"}: 1->3, {"b"}: 0->2] %x out_sharding=<@mesh, [{}, {}, {"b"}, {"c"}]> : tensor<8x8x4x4xf32>
  return %0 : tensor<8x8x4x4xf32>
}

// -----

// CHECK: overlapping source/target dimensions in all-to-all params: 2
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<8x8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c"}, {}, {}]>}) -> tensor<8x8x4x4xf32> {
  %0 = sdy.all_to_all [{"b"}: 0->2, {"c"}: 1->2] %x out_sharding=<@mesh, [{}, {}, {"b", "c"}, {}]> : tensor<8x8x4x4xf32>
  return %0 : tensor<8x8x4x4xf32>
}

// -----

// CHECK: result sharding doesn't match expected sharding ["d"] on dimension 3
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<8x8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}, {}, {"d"}]>}) -> tensor<8x8x4x4xf32> {
  %0 = sdy.all_to_all [{"b"}: 0->2] %x out_sharding=<@mesh, [{}, {}, {"b"}, {}]> : tensor<8x8x4x4xf32>
  return %0 : tensor<8x8x4x4xf32>
}

// -----

// CHECK: operand and result shardings are not equivalent
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {"b"} %x out_sharding=<@mesh, [{}, {"a"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: reduction axes are not ordered w.r.t. mesh
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {"d", "b"} %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {"q"} %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: two consecutive sub-axes can be merged: "c":(1)2, "c":(2)4
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {"c":(1)2, "c":(2)4} %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: sub-axis next pre-size 16 doesn't divide the size of the full axis 8: "c":(8)2
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {"c":(8)2} %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: reduction axis "a" overlaps with operand dimension sharding or replicated axes
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {"a"} %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: reduction axis "c":(2)2 overlaps with operand dimension sharding or replicated axes
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"c":(1)4}>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {"c":(2)2} %x out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: reduction axis "b" overlaps with result unreduced axes
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {"b"} %x out_sharding=<@mesh, [{"a"}, {}], unreduced={"b"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: cannot add new unreduced axis 'd'.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {"b"} %x out_sharding=<@mesh, [{"a"}, {}], unreduced={"d"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: cannot reduce 'max' unreduced axes. Expected 'sum'.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced=max{"b"}>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {"b"} %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: cannot reduce 'sum' unreduced axes. Expected 'min'.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> tensor<16x8xf32> {
  %0 = sdy.reduce_scatter min [{}, {"b"}] %x out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result sharding doesn't match expected sharding ["b"] on dimension 1
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.reduce_scatter [{}, {"b"}] %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: result sharding has rank 2 but collective axes has rank 1
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.reduce_scatter [{"b"}] %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: duplicate axis ref: "b"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.reduce_scatter [{"b"}, {"b"}] %x out_sharding=<@mesh, [{"a", "b"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: can't apply shard-to-unreduce axis "b" to operand sharding on dimension 0
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.sharded_to_unreduced [{"b"}, {}] %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: out_unreduced_axes should be in_unreduced_axes + sharded_to_unreduced_axes
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.sharded_to_unreduced [{"a"}, {}] %x out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: out_sharding reduction_op must be SUM
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.sharded_to_unreduced [{"a"}, {}] %x out_sharding=<@mesh, [{}, {}], unreduced=max{"a"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: out_sharding reduction_op must be SUM
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.replicated_to_unreduced {"b"} %x out_sharding=<@mesh, [{"a"}, {}], unreduced=min{"b"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: input and output must share the same dimension shardings
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.replicated_to_unreduced {"b"} %x out_sharding=<@mesh, [{}, {}], unreduced={"b"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: r2u axes must not be empty
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.replicated_to_unreduced {} %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: r2u axes are not ordered w.r.t. mesh
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.replicated_to_unreduced {"d", "b"} %x out_sharding=<@mesh, [{"a"}, {}], unreduced={"b", "d"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: r2u axis "a" overlaps with operand dimension sharding
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.replicated_to_unreduced {"a"} %x out_sharding=<@mesh, [{"a"}, {}], unreduced={"b"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: r2u axis "b" overlaps with operand unreduced axes
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> tensor<16x8xf32> {
  %0 = sdy.replicated_to_unreduced {"b"} %x out_sharding=<@mesh, [{"a"}, {}], unreduced={"b"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: out_unreduced_axes should be in_unreduced_axes + r2u_axes
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.replicated_to_unreduced {"b"} %x out_sharding=<@mesh, [{"a"}, {}], unreduced={"d"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// CHECK: 8 is no ReductionOp: expected one of 0 (sum), 1 (max), 2 (min)
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>
func.func @f(%x: tensor<8xf32>) {
  %0 = "sdy.all_reduce"(%x) <{reduction_axes = #sdy<axis_ref_list{"b"}>, out_sharding = #sdy.sharding<@mesh, [{}]>, reduction_op = 8 : i32}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}
