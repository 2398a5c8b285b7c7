// RUN: xshardy-opt %s -p xla-gpu-merge-pointers --split-input-file | filecheck %s

// Three arguments, two slices: the callee takes two pointers. The kernel keeps its interface, but uses the first of each. Rows XGPU-39 and XGPU-59.

// CHECK-LABEL: func.func @kernel(
// CHECK-SAME:    %[[A:.*]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}, %[[B:.*]]: !llvm.ptr {llvm.noalias, xla.invariant},
// CHECK-SAME:    %[[C:.*]]: !llvm.ptr {llvm.noalias}, %[[I:.*]]: index) attributes {xla.entry} {
// CHECK-NEXT:    %[[V:.*]] = call @callee(%[[A]], %[[B]], %[[I]]) : (!llvm.ptr, !llvm.ptr, index) -> f32
// CHECK-NEXT:    llvm.store %[[V]], %[[A]] : f32, !llvm.ptr
// CHECK-LABEL: func.func private @callee(
// CHECK-SAME:    %[[A:.*]]: !llvm.ptr {llvm.noalias}, %[[B:.*]]: !llvm.ptr {llvm.noalias}, %[[I:.*]]: index) -> f32 {
// CHECK-NEXT:    %[[X:.*]] = llvm.load %[[A]]
// CHECK-NEXT:    %[[Y:.*]] = llvm.load %[[B]]
// CHECK-NEXT:    %[[Z:.*]] = llvm.load %[[A]]
func.func @kernel(%a: !llvm.ptr {xla.slice_index = 0, llvm.align = 16 : i64},
                  %b: !llvm.ptr {xla.slice_index = 1, xla.invariant},
                  %c: !llvm.ptr {xla.slice_index = 0}, %i: index) attributes {xla.entry} {
  %v = func.call @callee(%a, %b, %c, %i) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, index) -> f32
  llvm.store %v, %c : f32, !llvm.ptr
  return
}
func.func private @callee(%a: !llvm.ptr {xla.slice_index = 0}, %b: !llvm.ptr {xla.slice_index = 1},
                          %c: !llvm.ptr {xla.slice_index = 0}, %i: index) -> f32 {
  %x = llvm.load %a : !llvm.ptr -> f32
  %y = llvm.load %b : !llvm.ptr -> f32
  %z = llvm.load %c : !llvm.ptr -> f32
  %xy = arith.addf %x, %y : f32
  %xyz = arith.addf %xy, %z : f32
  return %xyz : f32
}

// -----

// Nothing is known without slice indices: two pointers may be the same, and nothing is promised.

// CHECK-LABEL: func.func @unknown(
// CHECK-SAME:    %[[A:.*]]: !llvm.ptr, %[[B:.*]]: !llvm.ptr) {
// CHECK-NEXT:    call @callee(%[[A]], %[[B]])
func.func @unknown(%a: !llvm.ptr, %b: !llvm.ptr) {
  func.call @callee(%a, %b) : (!llvm.ptr, !llvm.ptr) -> ()
  return
}
func.func private @callee(%a: !llvm.ptr, %b: !llvm.ptr) {
  return
}

// -----

// A declaration changes with its calls.

// CHECK-LABEL: func.func @kernel(
// CHECK-NEXT:    call @declared(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK:       func.func private @declared(!llvm.ptr {llvm.noalias})
func.func @kernel(%a: !llvm.ptr {xla.slice_index = 3}) attributes {xla.entry} {
  func.call @declared(%a, %a) : (!llvm.ptr, !llvm.ptr) -> ()
  return
}
func.func private @declared(!llvm.ptr {xla.slice_index = 3}, !llvm.ptr {xla.slice_index = 3})

// -----

// The only public function is the entry function, and keeps its signature.

// CHECK-LABEL: func.func @only_public(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}) {
// CHECK-NEXT:    call @merged(%[[A]]) : (!llvm.ptr) -> ()
// CHECK-LABEL: func.func private @merged(
// CHECK-SAME:    %{{.*}}: !llvm.ptr {llvm.noalias}) {
func.func @only_public(%a: !llvm.ptr {xla.slice_index = 0}, %b: !llvm.ptr {xla.slice_index = 0}) {
  call @merged(%b, %a) : (!llvm.ptr, !llvm.ptr) -> ()
  return
}
func.func private @merged(%a: !llvm.ptr {xla.slice_index = 0}, %b: !llvm.ptr {xla.slice_index = 0}) {
  return
}

// -----

// Each of two kernels keeps its signature.

// CHECK-LABEL: func.func @first(
// CHECK-SAME:    !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}) attributes {xla.entry}
// CHECK-LABEL: func.func @second(
// CHECK-SAME:    !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}) attributes {xla.entry}
func.func @first(%a: !llvm.ptr {xla.slice_index = 0}, %b: !llvm.ptr {xla.slice_index = 0}) attributes {xla.entry} {
  return
}
func.func @second(%a: !llvm.ptr {xla.slice_index = 1}, %b: !llvm.ptr {xla.slice_index = 1}) attributes {xla.entry} {
  return
}

// -----

// Others may write a buffer that is not invariant: it may have aliases. The mark is only for this pass.

// CHECK-LABEL: func.func @written_by_others(
// CHECK-SAME:    %{{[a-z0-9]+}}: !llvm.ptr, %{{[a-z0-9]+}}: !llvm.ptr {llvm.noalias})
func.func @written_by_others(%a: !llvm.ptr {xla.slice_index = 0, xla.not_invariant}, %b: !llvm.ptr {xla.slice_index = 1}) {
  return
}
