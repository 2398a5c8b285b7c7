// RUN: xshardy-opt %s -p xla-gpu-lower-affine --verify-diagnostics --split-input-file | filecheck %s

// CHECK: affine.apply of (d0) -> ((d0 floordiv 0)): it divides by what is not a positive constant
func.func @zero(%i: index) -> index {
  %0 = affine.apply affine_map<(d0) -> (d0 floordiv 0)>(%i)
  return %0 : index
}
