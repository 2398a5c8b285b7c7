// RUN: xshardy-opt %s --split-input-file -p xla-gpu-lower-scf-to-cf | filecheck %s

// CHECK-LABEL: func.func @if_with_result
// CHECK-NEXT:    cf.cond_br %arg0, ^bb1, ^bb2
// CHECK-NEXT:  ^bb1:
// CHECK-NEXT:    %0 = arith.negf %arg1 : f32
// CHECK-NEXT:    cf.br ^bb3(%0 : f32)
// CHECK-NEXT:  ^bb2:
// CHECK-NEXT:    cf.br ^bb3(%arg1 : f32)
// CHECK-NEXT:  ^bb3(%1: f32):
// CHECK-NEXT:    return %1 : f32
func.func @if_with_result(%c: i1, %x: f32) -> f32 {
  %0 = scf.if %c -> (f32) {
    %1 = arith.negf %x : f32
    scf.yield %1 : f32
  } else {
    scf.yield %x : f32
  }
  func.return %0 : f32
}

// -----

// CHECK-LABEL: func.func @if_without_else
// CHECK-NEXT:    cf.cond_br %arg0, ^bb1, ^bb2
// CHECK-NEXT:  ^bb1:
// CHECK-NEXT:    "test.op"() : () -> ()
// CHECK-NEXT:    cf.br ^bb2
// CHECK-NEXT:  ^bb2:
// CHECK-NEXT:    return
func.func @if_without_else(%c: i1) {
  scf.if %c {
    "test.op"() : () -> ()
  }
  func.return
}

// -----

// CHECK-LABEL: func.func @for
// CHECK-NEXT:    cf.br ^bb1(%arg0, %arg3 : index, f32)
// CHECK-NEXT:  ^bb1(%0: index, %1: f32):
// CHECK-NEXT:    %2 = arith.cmpi slt, %0, %arg1 : index
// CHECK-NEXT:    cf.cond_br %2, ^bb2, ^bb3
// CHECK-NEXT:  ^bb2:
// CHECK-NEXT:    %3 = arith.mulf %1, %1 : f32
// CHECK-NEXT:    %4 = arith.addi %0, %arg2 : index
// CHECK-NEXT:    cf.br ^bb1(%4, %3 : index, f32)
// CHECK-NEXT:  ^bb3:
// CHECK-NEXT:    return %1 : f32
func.func @for(%lower: index, %upper: index, %step: index, %x: f32) -> f32 {
  %0 = scf.for %i = %lower to %upper step %step iter_args(%it = %x) -> (f32) {
    %1 = arith.mulf %it, %it : f32
    scf.yield %1 : f32
  }
  func.return %0 : f32
}

// -----

// CHECK-LABEL: func.func @while
// CHECK-NEXT:    cf.br ^bb1(%arg0 : i32)
// CHECK-NEXT:  ^bb1(%0: i32):
// CHECK-NEXT:    %1 = arith.cmpi slt, %0, %arg0 : i32
// CHECK-NEXT:    cf.cond_br %1, ^bb2(%0 : i32), ^bb3(%0 : i32)
// CHECK-NEXT:  ^bb2(%2: i32):
// CHECK-NEXT:    %3 = arith.addi %2, %2 : i32
// CHECK-NEXT:    cf.br ^bb1(%3 : i32)
// CHECK-NEXT:  ^bb3(%4: i32):
// CHECK-NEXT:    return %4 : i32
func.func @while(%n: i32) -> i32 {
  %0 = scf.while (%i = %n) : (i32) -> i32 {
    %1 = arith.cmpi slt, %i, %n : i32
    scf.condition(%1) %i : i32
  } do {
  ^bb0(%i: i32):
    %1 = arith.addi %i, %i : i32
    scf.yield %1 : i32
  }
  func.return %0 : i32
}

// -----

// CHECK-LABEL: func.func @nested
// CHECK-NEXT:    cf.br ^bb1(%arg1 : index)
// CHECK-NEXT:  ^bb1(%0: index):
// CHECK-NEXT:    %1 = arith.cmpi slt, %0, %arg2 : index
// CHECK-NEXT:    cf.cond_br %1, ^bb2, ^bb5
// CHECK-NEXT:  ^bb2:
// CHECK-NEXT:    cf.cond_br %arg0, ^bb3, ^bb4
// CHECK-NEXT:  ^bb3:
// CHECK-NEXT:    "test.op"(%0) : (index) -> ()
// CHECK-NEXT:    cf.br ^bb4
// CHECK-NEXT:  ^bb4:
// CHECK-NEXT:    %2 = arith.addi %0, %arg3 : index
// CHECK-NEXT:    cf.br ^bb1(%2 : index)
// CHECK-NEXT:  ^bb5:
// CHECK-NEXT:    return
func.func @nested(%c: i1, %lower: index, %upper: index, %step: index) {
  scf.for %i = %lower to %upper step %step {
    scf.if %c {
      "test.op"(%i) : (index) -> ()
    }
  }
  func.return
}

// -----

// CHECK-LABEL: func.func @switch
// CHECK-NEXT:    %0 = arith.index_cast %arg0 : index to i32
// CHECK-NEXT:    cf.switch %0 : i32, [
// CHECK-NEXT:      default: ^bb1,
// CHECK-NEXT:      2: ^bb2
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^bb1:
// CHECK-NEXT:    cf.br ^bb3(%arg1 : f32)
// CHECK-NEXT:  ^bb2:
// CHECK-NEXT:    cf.br ^bb3(%arg2 : f32)
// CHECK-NEXT:  ^bb3(%1: f32):
// CHECK-NEXT:    return %1 : f32
func.func @switch(%i: index, %x: f32, %y: f32) -> f32 {
  %0 = scf.index_switch %i -> f32
  case 2 {
    scf.yield %y : f32
  }
  default {
    scf.yield %x : f32
  }
  func.return %0 : f32
}
