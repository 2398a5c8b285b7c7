// RUN: xshardy-opt %s --split-input-file --allow-unregistered-dialect -p convert-func-to-llvm | filecheck %s

// The entry function becomes a kernel. What is known of its arguments stays; one that is never written is `readonly`.
// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME:    %arg0: !llvm.ptr {llvm.align = 16 : i64, llvm.dereferenceable = 64 : i64, llvm.readonly, xla.invariant, xla.slice_index = 0 : i64},
// CHECK-SAME:    %arg1: !llvm.ptr {llvm.noalias, xla.slice_index = 1 : i64})
// CHECK-SAME:    attributes {gpu.known_block_size = array<i32: 128, 1, 1>, nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, xla.entry} {
// CHECK-NEXT:    llvm.return
// CHECK-NEXT:  }
func.func @kernel(
    %in: !llvm.ptr {llvm.align = 16, llvm.dereferenceable = 64, xla.invariant, xla.slice_index = 0},
    %out: !llvm.ptr {llvm.noalias, xla.slice_index = 1}
) attributes {xla.entry, gpu.known_block_size = array<i32: 128, 1, 1>} {
  func.return
}

// -----

// A function that is not the entry is no kernel.
// CHECK-LABEL: llvm.func @device(%arg0: !llvm.ptr {xla.invariant}) {
func.func @device(%in: !llvm.ptr {xla.invariant}) {
  func.return
}

// -----

// CHECK-LABEL: llvm.func internal @private_with_body(%arg0: f32) -> f32
// CHECK-LABEL: llvm.func @private_declaration(f32) -> f32
func.func private @private_with_body(%x: f32) -> f32 {
  func.return %x : f32
}
func.func private @private_declaration(%x: f32) -> f32

// -----

// Several results are returned as one struct.
// CHECK-LABEL: llvm.func @caller(%arg0: f32, %arg1: i32) -> f32 {
// CHECK-NEXT:    %0 = llvm.call @pair(%arg0, %arg1) : (f32, i32) -> !llvm.struct<(i32, f32)>
// CHECK-NEXT:    %1 = llvm.extractvalue %0[0] : !llvm.struct<(i32, f32)>
// CHECK-NEXT:    %2 = llvm.extractvalue %0[1] : !llvm.struct<(i32, f32)>
// CHECK-NEXT:    llvm.return %2 : f32
// CHECK-LABEL: llvm.func internal @pair(%arg0: f32, %arg1: i32) -> !llvm.struct<(i32, f32)> {
// CHECK-NEXT:    %0 = llvm.mlir.poison : !llvm.struct<(i32, f32)>
// CHECK-NEXT:    %1 = llvm.insertvalue %arg1, %0[0] : !llvm.struct<(i32, f32)>
// CHECK-NEXT:    %2 = llvm.insertvalue %arg0, %1[1] : !llvm.struct<(i32, f32)>
// CHECK-NEXT:    llvm.return %2 : !llvm.struct<(i32, f32)>
func.func @caller(%x: f32, %i: i32) -> f32 {
  %0, %1 = func.call @pair(%x, %i) : (f32, i32) -> (i32, f32)
  func.return %1 : f32
}
func.func private @pair(%x: f32, %i: i32) -> (i32, f32) {
  func.return %i, %x : i32, f32
}

// -----

// CHECK-LABEL: llvm.func @types_change(%arg0: i64, %arg1: !llvm.struct<(f32, f32)>) -> i64 {
// CHECK-NEXT:    %0 = builtin.unrealized_conversion_cast %arg0 : i64 to index
// CHECK-NEXT:    "test.use"(%0) : (index) -> ()
// CHECK-NEXT:    llvm.return %arg0 : i64
func.func @types_change(%i: index, %z: complex<f32>) -> index {
  "test.use"(%i) : (index) -> ()
  func.return %i : index
}

// -----

// One result is no struct.
// CHECK-LABEL: llvm.func @calls_for_one_result(
// CHECK-NEXT:    %[[R:.*]] = llvm.call @same(%arg0) : (f32) -> f32
// CHECK-NEXT:    llvm.return %[[R]] : f32
func.func @calls_for_one_result(%x: f32) -> f32 {
  %0 = func.call @same(%x) : (f32) -> f32
  func.return %0 : f32
}
func.func private @same(%x: f32) -> f32
