// RUN: xshardy-opt %s -p hlo-fuse | filecheck %s

// What is computed element by element is one kernel, with copies of the constants.
// CHECK-LABEL: func.func @elementwise(
// CHECK-NEXT:    %[[R:.*]] = hlo.fusion loop @fused_add(%arg0, %arg1) : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:    return %[[R]]
func.func @elementwise(%x: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
  %c = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<8x4xf32>
  %2 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %3 = stablehlo.add %1, %2 : tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}

// Two kernels read the exponential, which is costly: the first one writes it. Both of them negate it.
// CHECK-LABEL: func.func @costly_once(
// CHECK-NEXT:    %[[R:.*]]:2 = hlo.fusion input @fused_reduce(%arg0) : (tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8x4xf32>)
// CHECK-NEXT:    hlo.fusion input @fused_reduce_1(%[[R]]#1) : (tensor<8x4xf32>) -> tensor<4xf32>
func.func @costly_once(%x: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<8x4xf32>
  %1 = stablehlo.negate %0 : tensor<8x4xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %2, %3 : tensor<8xf32>, tensor<4xf32>
}

// A row is reduced and read again with its sum: one kernel.
// CHECK-LABEL: func.func @rows(
// CHECK-NEXT:    %[[R:.*]] = hlo.fusion custom @fused_divide(%arg0)
// CHECK-NEXT:    return %[[R]]
func.func @rows(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<8x32xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<8xf32>) -> tensor<8x32xf32>
  %3 = stablehlo.divide %0, %2 : tensor<8x32xf32>
  return %3 : tensor<8x32xf32>
}

// An element needs the sum of another row: the sums are in memory.
// CHECK-LABEL: func.func @other_rows(
// CHECK-NEXT:    %[[S:.*]] = hlo.fusion input @fused_reduce_2(%arg0)
// CHECK-NEXT:    hlo.fusion loop @fused_divide_1(%[[S]], %arg0)
func.func @other_rows(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<32xf32>) -> tensor<32x32xf32>
  %3 = stablehlo.divide %x, %2 : tensor<32x32xf32>
  return %3 : tensor<32x32xf32>
}

// What is updated in place is in memory before.
// CHECK-LABEL: func.func @in_place(
// CHECK-NEXT:    %[[X:.*]] = hlo.fusion loop @fused_negate(%arg0)
// CHECK-NEXT:    hlo.fusion input @fused_dynamic_update_slice(%arg1, %[[X]], %arg2)
func.func @in_place(%x: tensor<8xf32>, %u: tensor<2xf32>, %i: tensor<i32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = stablehlo.negate %u : tensor<2xf32>
  %2 = stablehlo.dynamic_update_slice %0, %1, %i : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// A kernel also writes what it computes for its result, and others read later.
// CHECK-LABEL: func.func @several_results(
// CHECK-NEXT:    %[[R:.*]]:2 = hlo.fusion loop @fused_subtract(%arg0, %arg1, %arg2)
// CHECK-NEXT:    return %[[R]]#1, %[[R]]#0
func.func @several_results(%m: tensor<8xf32>, %g: tensor<8xf32>, %p: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.add %m, %g : tensor<8xf32>
  %1 = stablehlo.subtract %p, %0 : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Not if others read it before.
// CHECK-LABEL: func.func @read_before(
// CHECK-NEXT:    %[[A:.*]] = hlo.fusion loop @fused_add_1(%arg0, %arg1)
// CHECK-NEXT:    %[[C:.*]] = stablehlo.cholesky %[[A]]
// CHECK-NEXT:    hlo.fusion loop @fused_subtract_1(%[[C]], %[[A]])
func.func @read_before(%m: tensor<8x8xf32>, %g: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.add %m, %g : tensor<8x8xf32>
  %1 = "stablehlo.cholesky"(%0) <{lower = true}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.subtract %1, %0 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// A transpose is in the kernel of what is computed from each of its elements, but not in that of a reduction.
// CHECK-LABEL: func.func @transposes(
// CHECK-NEXT:    hlo.fusion input @fused_abs(%arg0) : (tensor<8x4xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:    %[[T:.*]] = hlo.fusion input @fused_transpose(%arg0)
// CHECK-NEXT:    hlo.fusion input @fused_reduce_3(%[[T]])
func.func @transposes(%x: tensor<8x4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.negate %x : tensor<8x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.abs %1 : tensor<4x8xf32>
  %3 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return %2, %4 : tensor<4x8xf32>, tensor<4xf32>
}

// Rows of whole sectors are moved by a loop: what reads them does that, and each element of it is computed for its place.
// CHECK-LABEL: func.func @rows_moved(
// CHECK-NEXT:    hlo.fusion loop @{{.*}}(%arg0) : (tensor<8x4x8xf32>) -> tensor<4x16xf32>
// CHECK-NEXT:    %[[T:.*]] = hlo.fusion input @{{.*}}(%arg1) : (tensor<8x4x7xf32>) -> tensor<4x8x7xf32>
// CHECK-NEXT:    hlo.fusion loop @{{.*}}(%[[T]])
func.func @rows_moved(%x: tensor<8x4x8xf32>, %y: tensor<8x4x7xf32>) -> (tensor<4x16xf32>, tensor<4x14xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<8x4x8xf32>) -> tensor<4x8x8xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x8x8xf32>) -> tensor<4x64xf32>
  %2 = stablehlo.slice %1 [0:4, 0:16] : (tensor<4x64xf32>) -> tensor<4x16xf32>
  %3 = stablehlo.transpose %y, dims = [1, 0, 2] : (tensor<8x4x7xf32>) -> tensor<4x8x7xf32>
  %4 = stablehlo.reshape %3 : (tensor<4x8x7xf32>) -> tensor<4x56xf32>
  %5 = stablehlo.slice %4 [0:4, 0:14] : (tensor<4x56xf32>) -> tensor<4x14xf32>
  return %2, %5 : tensor<4x16xf32>, tensor<4x14xf32>
}

// A reshape is the same memory.
// CHECK-LABEL: func.func @views(
// CHECK-NEXT:    %[[N:.*]] = hlo.fusion loop @fused_negate_1(%arg0)
// CHECK-NEXT:    stablehlo.reshape %[[N]]
func.func @views(%x: tensor<8x4xf32>) -> tensor<32xf32> {
  %0 = stablehlo.negate %x : tensor<8x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<8x4xf32>) -> tensor<32xf32>
  return %1 : tensor<32xf32>
}

// CHECK-LABEL: func.func @loop(
// CHECK:         stablehlo.while(%[[I:.*]] = %{{.*}}, %[[Y:.*]] = %arg0)
// CHECK:           hlo.fusion loop @fused_compare(%[[I]], %arg1)
// CHECK:           hlo.fusion loop @fused_add_2(%[[I]]) : (tensor<i32>) -> tensor<i32>
// CHECK-NEXT:      hlo.fusion loop @fused_abs_1(%[[Y]])
func.func @loop(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %a = stablehlo.negate %y : tensor<4xf32>
      %b = stablehlo.abs %a : tensor<4xf32>
      stablehlo.return %next, %b : tensor<i32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
}

// What is applied to elements has its own constants, and is no kernel. A sort of rows that fit into shared memory is one.
// CHECK-LABEL: func.func @captured(
// CHECK-NEXT:    %[[S:.*]] = hlo.fusion input @fused_sort(%arg0)
// CHECK-NEXT:    hlo.fusion loop @fused_maximum(%[[S]])
func.func @captured(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.maximum %a, %zero : tensor<f32>
    %d = stablehlo.compare LT, %c, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %d : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.maximum %0, %1 : tensor<8xf32>
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}

// A reduction that reads a value from outside is no kernel; neither are elements in a resource part of one.
// CHECK-LABEL: func.func @no_kernels(
// CHECK-NEXT:    %[[ZERO:.*]] = stablehlo.constant
// CHECK-NEXT:    %[[W:.*]] = stablehlo.constant dense_resource<w>
// CHECK-NEXT:    stablehlo.reduce(%arg0 init: %[[ZERO]])
// CHECK:           stablehlo.add %{{.*}}, %arg1
// CHECK:         hlo.fusion loop @fused_negate_2(%[[W]])
func.func @no_kernels(%x: tensor<8xf32>, %s: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %w = stablehlo.constant dense_resource<w> : tensor<4xf32>
  %0 = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    %d = stablehlo.add %c, %s : tensor<f32>
    stablehlo.return %d : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.negate %w : tensor<4xf32>
  return %0, %1 : tensor<f32>, tensor<4xf32>
}

// In these layouts, a reshape moves elements: a kernel, and not a view.
// CHECK-LABEL: func.func @no_view(
// CHECK-NEXT:    %[[R:.*]] = hlo.fusion loop @fused_reshape(%arg0) : (tensor<8x4xf32>) -> tensor<32xf32>
// CHECK-NEXT:    return %[[R]]
func.func @no_view(%x: tensor<8x4xf32>) -> tensor<32xf32> {
  %0 = stablehlo.negate %x {hlo.layout = array<i64: 0, 1>} : tensor<8x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<8x4xf32>) -> tensor<32xf32>
  return %1 : tensor<32xf32>
}

// CHECK-LABEL: func.func private @called(
// CHECK-NEXT:    hlo.fusion loop @fused_negate_3(%arg0)
func.func private @called(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @called(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Nothing calls it.
// CHECK-LABEL: func.func private @unused(
// CHECK-NEXT:    stablehlo.negate
func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK:       func.func private @fused_add(%[[X:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<4xf32>) -> tensor<8x4xf32> {
// CHECK-NEXT:    %[[C:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[CS:.*]] = stablehlo.broadcast_in_dim %[[C]]
// CHECK-NEXT:    %[[M:.*]] = stablehlo.multiply %[[X]], %[[CS]]
// CHECK-NEXT:    %[[BS:.*]] = stablehlo.broadcast_in_dim %[[B]]
// CHECK-NEXT:    %[[A:.*]] = stablehlo.add %[[M]], %[[BS]]
// CHECK-NEXT:    return %[[A]]

// CHECK:       func.func private @fused_reduce(%[[E:.*]]: tensor<8x4xf32>)
// CHECK-NEXT:    stablehlo.constant
// CHECK-NEXT:    %[[EXP:.*]] = stablehlo.exponential %[[E]]
// CHECK-NEXT:    %[[N:.*]] = stablehlo.negate %[[EXP]]
// CHECK-NEXT:    %[[S:.*]] = stablehlo.reduce(%[[N]]
// CHECK-NEXT:    return %[[S]], %[[EXP]]

// CHECK:       func.func private @fused_subtract(
// CHECK-NEXT:    %[[A:.*]] = stablehlo.add
// CHECK-NEXT:    %[[S:.*]] = stablehlo.subtract %{{.*}}, %[[A]]
// CHECK-NEXT:    return %[[S]], %[[A]]

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F000000400000404000008040"
    }
  }
#-}

// CHECK-LABEL: func.func private @fused_sort(
// CHECK-NEXT:    "stablehlo.sort"(%arg0)
// CHECK:           %[[Z:.*]] = stablehlo.constant dense<0.000000e+00>
// CHECK-NEXT:      stablehlo.maximum %{{.*}}, %[[Z]]
