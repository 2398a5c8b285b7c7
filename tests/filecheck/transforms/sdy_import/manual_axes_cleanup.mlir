// RUN: xshardy-opt %s -p sdy-manual-axes-cleanup | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
sdy.mesh @empty = <[]>

// What is not mentioned becomes replicated, in the order of the mesh; manual axes are sorted.
// CHECK-LABEL: func.func @unsorted_and_unused
// CHECK:         in_shardings=[<@mesh, [{"b"}], replicated={"a"}>] out_shardings=[<@mesh, [{"b"}], replicated={"a", "c"}>] manual_axes={"a", "b"}
func.func @unsorted_and_unused(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}], replicated={"c"}>] manual_axes={"b", "a"} (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @nothing_to_do
// CHECK:         in_shardings=[<@mesh, [{"a"}], replicated={"b"}>] out_shardings=[<@mesh, [{"a"}], replicated={"b"}>] manual_axes={"a", "b"}
func.func @nothing_to_do(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}], replicated={"b"}>] out_shardings=[<@mesh, [{"a"}], replicated={"b"}>] manual_axes={"a", "b"} (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A sharding that mentions all manual axes keeps its mesh; a computation may have operands and no results.
// CHECK-LABEL: func.func @of_an_empty_mesh
// CHECK:         in_shardings=[<@empty, []>, <@mesh, [{"a"}]>] out_shardings=[] manual_axes={}
// CHECK:           stablehlo.custom_call @print
func.func @of_an_empty_mesh(%x: tensor<f32>, %y: tensor<8xf32>) {
  sdy.manual_computation(%x, %y) in_shardings=[<@empty, []>, <@mesh, [{"a"}]>] out_shardings=[] manual_axes={} (%z: tensor<f32>, %w: tensor<8xf32>) {
    stablehlo.custom_call @print(%z) {has_side_effect = true} : (tensor<f32>) -> ()
    sdy.return
  } : (tensor<f32>, tensor<8xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @without_results
// CHECK:         in_shardings=[<@mesh, [{"a"}]>] out_shardings=[] manual_axes={"a"}
func.func @without_results(%x: tensor<8xf32>) {
  sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[] manual_axes={"a"} (%y: tensor<4xf32>) {
    stablehlo.custom_call @print(%y) {has_side_effect = true} : (tensor<4xf32>) -> ()
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}
