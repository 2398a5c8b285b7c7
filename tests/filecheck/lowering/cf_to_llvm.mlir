// RUN: xshardy-opt %s --split-input-file -p convert-cf-to-llvm | filecheck %s

// The arguments of a block get LLVM types; the entry block is left to the function.
// CHECK-LABEL: func.func @branches
// CHECK-SAME:    (%arg0: i1, %arg1: index) -> index
// CHECK-NEXT:    %0 = builtin.unrealized_conversion_cast %arg1 : index to i64
// CHECK-NEXT:    llvm.cond_br %arg0, ^bb1(%0 : i64), ^bb2
// CHECK-NEXT:  ^bb1(%1: i64):
// CHECK-NEXT:    %2 = builtin.unrealized_conversion_cast %1 : i64 to index
// CHECK-NEXT:    return %2 : index
// CHECK-NEXT:  ^bb2:
// CHECK:         llvm.br ^bb1(%{{.*}} : i64)
func.func @branches(%c: i1, %i: index) -> index {
  cf.cond_br %c, ^bb1(%i : index), ^bb2
^bb1(%j: index):
  func.return %j : index
^bb2:
  cf.br ^bb1(%i : index)
}

// -----

// CHECK-LABEL: func.func @switch
// CHECK-NEXT:    %0 = llvm.mlir.constant(3 : i32) : i32
// CHECK-NEXT:    %1 = llvm.icmp "eq" %arg0, %0 : i32
// CHECK-NEXT:    llvm.cond_br %1, ^bb3(%arg1 : f32), ^bb1
// CHECK-NEXT:  ^bb1:
// CHECK-NEXT:    %2 = llvm.mlir.constant(5 : i32) : i32
// CHECK-NEXT:    %3 = llvm.icmp "eq" %arg0, %2 : i32
// CHECK-NEXT:    llvm.cond_br %3, ^bb3(%arg2 : f32), ^bb2
// CHECK-NEXT:  ^bb2:
// CHECK-NEXT:    llvm.br ^bb3(%arg2 : f32)
// CHECK-NEXT:  ^bb3(%4: f32):
// CHECK-NEXT:    return %4 : f32
func.func @switch(%i: i32, %x: f32, %y: f32) -> f32 {
  cf.switch %i : i32, [
    default: ^bb1(%y : f32),
    3: ^bb1(%x : f32),
    5: ^bb1(%y : f32)
  ]
^bb1(%r: f32):
  func.return %r : f32
}

// -----

// CHECK-LABEL: func.func @arguments_of_both
// CHECK-NEXT:    llvm.cond_br %arg0, ^bb1(%arg1 : f32), ^bb2(%arg2, %arg1 : i32, f32)
func.func @arguments_of_both(%c: i1, %x: f32, %i: i32) -> f32 {
  cf.cond_br %c, ^one(%x : f32), ^two(%i, %x : i32, f32)
^one(%a: f32):
  func.return %a : f32
^two(%n: i32, %b: f32):
  func.return %b : f32
}
