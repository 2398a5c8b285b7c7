// RUN: xshardy-opt %s -p sdy-manual-axes-cleanup | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>

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
