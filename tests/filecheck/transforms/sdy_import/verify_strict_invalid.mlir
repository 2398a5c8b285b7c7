// RUN: not xshardy-opt %s -p sdy-verify-strict --split-input-file 2>&1 | filecheck %s

// CHECK: verify_strict_invalid.mlir:6:1: error: mesh @other has 6 devices and mesh @mesh has 8: give all meshes of a module the same number of devices
sdy.mesh @mesh = <["a"=2, "b"=4]>
sdy.mesh @placeholder = <[]>
sdy.mesh @other = <["a"=2, "b"=3]>

// -----

// CHECK: mesh @one has 1 devices and mesh @mesh has 8
sdy.mesh @mesh = <["a"=2, "b"=4]>
sdy.mesh @one = <["a"=1]>

// -----

// CHECK: 'func.func' op arg 1 - dimension 0 of tensor<0x8xf32> has size 0 and is sharded along "a", "b":(1)2: replicate it
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @argument(%x: f32, %y: tensor<0x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b":(1)2}, {}]>}) {
  return
}

// -----

// CHECK: 'func.func' op result 0 - dimension 0
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @function_result(%x: tensor<0x8xf32>) -> (tensor<0x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b":(1)2}, {}]>}) {
  return %x : tensor<0x8xf32>
}

// -----

// CHECK: 'stablehlo.tanh' op result 0 - dimension 0
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @op_result(%x: tensor<0x8xf32>) {
  %0 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b":(1)2}, {}]>]>} : tensor<0x8xf32>
  return
}

// -----

// CHECK: 'sdy.sharding_constraint' op result 0 - dimension 0
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @constraint(%x: tensor<0x8xf32>) {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a", "b":(1)2}, {}]> : tensor<0x8xf32>
  return
}

// -----

// CHECK: 'sdy.all_slice' op result 0 - dimension 0
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @collective(%x: tensor<0x8xf32>) {
  %0 = sdy.all_slice [{"a", "b":(1)2}, {}] %x out_sharding=<@mesh, [{"a", "b":(1)2}, {}]> : tensor<0x8xf32>
  return
}

// -----

// CHECK: 'sdy.named_computation' op operand 0 - dimension 0
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @computation_operand(%x: tensor<0x8xf32>) {
  %0 = sdy.named_computation<"f">(%x) in_shardings=[<@mesh, [{"a", "b":(1)2}, {}]>] (%y: tensor<0x8xf32>) {
    sdy.return %y : tensor<0x8xf32>
  } : (tensor<0x8xf32>) -> tensor<0x8xf32>
  return
}

// -----

// CHECK: 'sdy.manual_computation' op result 0 - dimension 0
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @computation_result(%x: tensor<0x8xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"a", "b":(1)2}, {}]>] manual_axes={} (%y: tensor<0x8xf32>) {
    sdy.return %y : tensor<0x8xf32>
  } : (tensor<0x8xf32>) -> tensor<0x8xf32>
  return
}

// -----

// CHECK: mesh @inner has 2 devices and mesh @outer has 4
builtin.module {
  builtin.module @nested {
    sdy.mesh @outer = <["a"=4]>
    sdy.mesh @inner = <["a"=2]>
  }
}

// -----

// CHECK: 'sdy.all_gather' op the result is unreduced along "b":(2)2, and the operand is not: leave this axis out
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @unreduced_from_nothing(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b":(1)2}>}) {
  %0 = sdy.all_gather [{"a"}] %x out_sharding=<@mesh, [{}], unreduced={"b"}> : tensor<8xf32>
  return
}

// -----

// CHECK: 'sdy.all_reduce' op the operand is unreduced along "a", and the result is not: reduce it along this axis
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @partial_sums_dropped(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a", "b"}>}) {
  %0 = sdy.all_reduce {"b"} %x out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return
}

// -----

// CHECK: 'sdy.manual_computation' op the in and out shardings are over several meshes: use one of them
sdy.mesh @mesh = <["a"=2, "b"=4]>
sdy.mesh @other = <["c"=8]>
func.func @two_meshes(%x: tensor<8xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@other, [{"c"}]>] manual_axes={} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
