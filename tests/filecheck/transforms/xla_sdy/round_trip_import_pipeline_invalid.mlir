// RUN: xshardy-opt %s -p xla-sdy-round-trip-import-pipeline --split-input-file --verify-diagnostics | filecheck %s

// CHECK: invalid.mlir:5:1: error: xla.sdy.sharding refers to the mesh @mesh, which the module does not have: add it to xla.sdy.meshes

func.func @missing_mesh(%x: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}]>"}}) {
  return
}

// -----

// CHECK: error: xla.sdy.meshes is '{mesh = #sdy.mesh<["a"=4], device_ids=[0, 1]>}', which cannot be read: total product of axis sizes must match total number of device ids, got: 4 != 2
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22a\22=4], device_ids=[0, 1]>}"}} {
  func.func @wrong_number_of_devices(%x: tensor<8xf32>) {
    return
  }
}
