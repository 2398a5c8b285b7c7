// RUN: xshardy-opt %s -p xla-sdy-stablehlo-round-trip-shard-map-export --split-input-file --verify-diagnostics | filecheck %s

func.func @inlined_mesh(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: error: the mesh is written out: give it a name, with sdy.mesh
  %0 = sdy.manual_computation(%x) in_shardings=[<mesh<["a"=2]>, [{"a"}]>] out_shardings=[<mesh<["a"=2]>, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["x"=4]>

func.func @two_meshes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>) {
    // CHECK: error: is in a manual computation over axes of @mesh, but its sharding is over another mesh
    %1 = stablehlo.negate %y {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"x"}]>]>} : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
