// RUN: xshardy-opt %s -p xla-gpu-propagate-slice-indices --split-input-file | filecheck %s

// By position, for the tensors that the arguments begin with; other facts of the entry stay its own. Rows XGPU-39 and XGPU-59.

// CHECK-LABEL: func.func @entry(
// CHECK-SAME:    %{{.*}}: tensor<4xf32> {llvm.align = 16 : i64, xla.invariant, xla.slice_index = 0 : i64},
// CHECK-SAME:    %{{.*}}: tensor<4xf32> {xla.slice_index = 1 : i64}) -> tensor<4xf32>
// CHECK-LABEL: func.func private @reads_both(
// CHECK-SAME:    %{{.*}}: tensor<4xf32> {xla.invariant, xla.slice_index = 0 : i64},
// CHECK-SAME:    %{{.*}}: tensor<4xf32> {xla.slice_index = 1 : i64}, %{{.*}}: index {xla.range = [0 : index, 3 : index]})
// CHECK-LABEL: func.func private @reads_one(
// CHECK-SAME:    %{{.*}}: tensor<4xf32> {xla.invariant, xla.slice_index = 0 : i64}, %{{.*}}: index, %{{.*}}: tensor<4xf32>)
// CHECK-LABEL: func.func private @scalars(%{{.*}}: f32, %{{.*}}: f32)
// CHECK-LABEL: func.func private @nothing()
func.func @entry(%a: tensor<4xf32> {xla.slice_index = 0, xla.invariant, llvm.align = 16 : i64},
                 %out: tensor<4xf32> {xla.slice_index = 1}) -> tensor<4xf32> attributes {xla.entry} {
  return %out : tensor<4xf32>
}
func.func private @reads_both(%a: tensor<4xf32>, %b: tensor<4xf32>, %i: index {xla.range = [0 : index, 3 : index]}) {
  return
}
func.func private @reads_one(%a: tensor<4xf32>, %i: index, %b: tensor<4xf32>) {
  return
}
func.func private @scalars(%a: f32, %b: f32) {
  return
}
func.func private @nothing() {
  return
}

// -----

// A declaration has a signature too, and upstream's prefix is kept as it is written.

// CHECK-LABEL: func.func private @declared(tensor<4xf32> {xla_gpu.slice_index = 7 : i64}, index)
func.func private @declared(tensor<4xf32>, index)
func.func @entry(%a: tensor<4xf32> {xla_gpu.slice_index = 7}) attributes {xla_gpu.entry} {
  return
}

// -----

// The only public function with a body needs no mark, and gets one.

// CHECK-LABEL: func.func private @declared(tensor<4xf32> {xla.slice_index = 3 : i64})
// CHECK-LABEL: func.func @only_public(
// CHECK-SAME:    %{{.*}}: tensor<4xf32> {xla.slice_index = 3 : i64}) attributes {xla.entry} {
// CHECK-LABEL: func.func private @callee(
// CHECK-SAME:    %{{.*}}: tensor<4xf32> {xla.slice_index = 3 : i64}) {
func.func private @declared(tensor<4xf32>)
func.func @only_public(%a: tensor<4xf32> {xla.slice_index = 3}) {
  return
}
func.func private @callee(%a: tensor<4xf32>) {
  return
}

// -----

// A marked function is the entry function, also where it is private and another one is public.

// CHECK-LABEL: func.func @public(
// CHECK-SAME:    %{{.*}}: tensor<4xf32> {xla.slice_index = 5 : i64}) {
// CHECK-LABEL: func.func private @marked(
// CHECK-SAME:    %{{.*}}: tensor<4xf32> {xla.slice_index = 5 : i64}) attributes {xla.entry} {
func.func @public(%a: tensor<4xf32>) {
  return
}
func.func private @marked(%a: tensor<4xf32> {xla.slice_index = 5}) attributes {xla.entry} {
  return
}

// -----

// That others may write a buffer holds in every function too.

// CHECK-LABEL: func.func private @callee_of_written(
// CHECK-SAME:    %{{.*}}: tensor<4xf32> {xla.not_invariant, xla.slice_index = 0 : i64}) {
func.func private @callee_of_written(%a: tensor<4xf32>) {
  return
}
func.func @written(%a: tensor<4xf32> {xla.slice_index = 0, xla.not_invariant}) attributes {xla.entry} {
  return
}
