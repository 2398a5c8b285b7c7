// RUN: xshardy-opt %s -p xla-gpu-propagate-slice-indices --verify-diagnostics --split-input-file | filecheck %s

// CHECK: the module has no entry function: mark the kernel with the attribute `xla.entry`
func.func @not_marked(%a: tensor<4xf32> {xla.slice_index = 0}) {
  return
}
func.func @public_too(%a: tensor<4xf32> {xla.slice_index = 0}) {
  return
}

// -----

// CHECK: the module has no entry function: mark the kernel with the attribute `xla.entry`
func.func private @private(%a: tensor<4xf32> {xla.slice_index = 0}) {
  return
}
