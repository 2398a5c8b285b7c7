// RUN: xshardy-opt %s -p sdy-drop-sharding-and-mesh --split-input-file --verify-diagnostics | filecheck %s

// CHECK: error: 'sdy.reshard' op has a sharding of its own, whose mesh goes: lower it first, with sdy-reshard-to-collectives and sdy-convert-global-to-local
sdy.mesh @mesh = <["a"=2]>
func.func @reshard(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reshard %x <@mesh, [{"a"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK: error: 'sdy.manual_computation' op has a sharding of its own, whose mesh goes: lower it first
sdy.mesh @mesh = <["a"=2]>
func.func @manual_computation(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
