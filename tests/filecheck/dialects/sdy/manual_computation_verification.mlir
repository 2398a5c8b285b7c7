// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: operand shardings don't match number of values: 2 shardings vs 1 values
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>, <@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: result shardings don't match number of values: 0 shardings vs 1 values
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[] manual_axes={"a"} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: operand - unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"q"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: result - sharding doesn't match tensor rank: 0 != 1
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, []>] manual_axes={"a"} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: operand - unknown mesh: @nobody
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@nobody, [{}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: number of op operands and region operands must match. Op has 1 op operands and 2 region operands
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<8xf32>, %z: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: number of op results and region results must match. Op has 1 op results and 2 region results
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<8xf32>) {
    sdy.return %y, %y : tensor<8xf32>, tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: operand sharding at index 0 must have all manual axes come before free axes in its dimension sharding at index 0. Saw manual axis "a" after free axis "b"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"b", "a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: result sharding at index 0 must have all manual axes come before free axes in its dimension sharding at index 0. Saw manual axis "a" after free axis "c":(1)2
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"c":(1)2, "a"}]>] manual_axes={"a"} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: operand dimension size 15 is not divisible by the manual axes size 2
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<15xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<15xf32>) -> tensor<15xf32>
  return
}

// -----

// CHECK: operand shape, corresponding sharding, and region operand shape at index 0 must match. Expected local shape 'tensor<8xf32>', actual local shape 'tensor<16xf32>'
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<16xf32>) {
    sdy.return %y : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: result shape, corresponding sharding, and region result shape at index 0 must match. Expected local shape 'tensor<16xf32>', actual local shape 'tensor<8xf32>'
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"a"} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: unknown manual axis: "q"
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a", "q"} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: all in and out shardings must be bound to the same mesh or an empty mesh.
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
sdy.mesh @other = <["a"=2, "z"=3]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@other, [{"a"}]>] manual_axes={"a"} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: operates on axis "a" which is already bound by a parent sdy.manual_computation op
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<8xf32>) {
    %1 = sdy.manual_computation(%y) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"a"} (%z: tensor<8xf32>) {
      sdy.return %z : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: 'stablehlo.tanh' op result - operates on axis "a" which is already bound by a parent sdy.manual_computation op
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<8xf32>) {
    %1 = stablehlo.tanh %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: operates on axis "a" which is already bound by a parent sdy.manual_computation op
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<8xf32>) {
    %1 = sdy.sharding_constraint %y <@mesh, [{}], replicated={"a"}> : tensor<8xf32>
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

// CHECK: 'stablehlo.tanh' op using value defined outside the region
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>
func.func @f(%x: tensor<16xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<8xf32>) {
    %1 = stablehlo.tanh %x : tensor<16xf32>
    sdy.return %y : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}
