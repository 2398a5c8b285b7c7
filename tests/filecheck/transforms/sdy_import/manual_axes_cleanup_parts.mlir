// RUN: xshardy-opt %s -p sdy-manual-axes-cleanup | filecheck %s

sdy.mesh @mesh = <["a"=4, "b"=2, "one"=1]>
sdy.mesh @empty = <[]>

// What is left of an axis becomes replicated, merged with the other parts of it that are.
// CHECK-LABEL: func.func @parts
// CHECK:         in_shardings=[<@mesh, [{"a":(1)2}], replicated={"a":(2)2}>] out_shardings=[<@mesh, [{?}], replicated={"a"}>]
func.func @parts(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a":(1)2}]>] out_shardings=[<@mesh, [{?}], replicated={"a":(2)2}>] manual_axes={"a"} (%y: tensor<4xf32>) {
    %1 = stablehlo.custom_call @f(%y) : (tensor<4xf32>) -> tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// An axis of size one has no parts, and an unreduced one is mentioned.
// CHECK-LABEL: func.func @size_one_and_unreduced
// CHECK:         in_shardings=[<@mesh, [{}], replicated={"a", "one"}, unreduced={"b"}>]
func.func @size_one_and_unreduced(%x: tensor<8xf32>) {
  sdy.manual_computation(%x) in_shardings=[<@mesh, [{}], unreduced={"b"}>] out_shardings=[] manual_axes={"one", "b", "a"} (%y: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// A sharding over the empty mesh gets the mesh of the others; what is no tensor gets nothing.
// CHECK-LABEL: func.func @empty_mesh_and_token
// CHECK:         in_shardings=[<@mesh, [{}], replicated={"b"}>, <@empty, []>, <@mesh, [{"b"}]>]
func.func @empty_mesh_and_token(%x: tensor<8xf32>, %t: !stablehlo.token) {
  sdy.manual_computation(%x, %t, %x) in_shardings=[<@empty, [{}]>, <@empty, []>, <@mesh, [{"b"}]>] out_shardings=[] manual_axes={"b"} (%y: tensor<8xf32>, %u: !stablehlo.token, %z: tensor<4xf32>) {
    sdy.return
  } : (tensor<8xf32>, !stablehlo.token, tensor<8xf32>) -> ()
  return
}

// Without operands and results, an empty body may be manual, and a body that is not manual may be there.
// CHECK-LABEL: func.func @without_shardings
// CHECK-COUNT-2: sdy.manual_computation() in_shardings=[] out_shardings=[]
func.func @without_shardings() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    sdy.return
  } : () -> ()
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    %0 = sdy.constant dense<1.0> : tensor<8xf32>
    sdy.return
  } : () -> ()
  return
}
