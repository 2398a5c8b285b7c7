// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s

// A single result type needs no parentheses.
// CHECK-LABEL: func.func @loop
// CHECK-NEXT:    %0 = scf.for %arg2 = %arg0 to %arg0 step %arg0 iter_args(%arg3 = %arg1) -> (f32) {
// CHECK-NEXT:      scf.yield %arg3 : f32
// CHECK-NEXT:    } {attribute}
// CHECK-NEXT:    scf.for %arg2 = %arg0 to %arg0 step %arg0 {
// CHECK-NEXT:    }
func.func @loop(%n: index, %x: f32) -> f32 {
  %0 = scf.for %i = %n to %n step %n iter_args(%carried = %x) -> f32 {
    scf.yield %carried : f32
  } {attribute}
  scf.for %i = %n to %n step %n {
  }
  return %0 : f32
}

// CHECK-LABEL: func.func @loop_of_integers
// CHECK-NEXT:    scf.for %arg1 = %arg0 to %arg0 step %arg0  : i32 {
func.func @loop_of_integers(%n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    scf.yield
  }
  return
}

// CHECK-LABEL: func.func @branch
// CHECK-NEXT:    %0 = scf.if %arg0 -> (f32) {
// CHECK-NEXT:      scf.yield %arg1 : f32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %arg1 : f32
// CHECK-NEXT:    } {attribute}
// CHECK-NEXT:    scf.if %arg0 {
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @branch(%condition: i1, %x: f32) {
  %0 = scf.if %condition -> f32 {
    scf.yield %x : f32
  } else {
    scf.yield %x : f32
  } {attribute}
  scf.if %condition {
  }
  return
}

// CHECK-LABEL: func.func @switch
// CHECK-NEXT:    %0 = scf.index_switch %arg0 {attribute} -> f32
// CHECK-NEXT:    case 1 {
// CHECK-NEXT:      scf.yield %arg1 : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    default {
// CHECK-NEXT:      scf.yield %arg1 : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.index_switch %arg0
// CHECK-NEXT:    default {
// CHECK-NEXT:    }
func.func @switch(%i: index, %x: f32) {
  %0 = scf.index_switch %i {attribute} -> f32
  case 1 {
    scf.yield %x : f32
  }
  default {
    scf.yield %x : f32
  }
  scf.index_switch %i
  default {
  }
  return
}

// CHECK-LABEL: func.func @forall
// CHECK-NEXT:    %0 = scf.forall (%arg2, %arg3) in (8, %arg1) shared_outs(%arg4 = %arg0) -> (tensor<8x4xf32>) {
// CHECK-NEXT:      %extracted = tensor.extract %arg4[%arg2, %arg3] : tensor<8x4xf32>
// CHECK-NEXT:      scf.forall.in_parallel {
// CHECK-NEXT:        tensor.parallel_insert_slice %arg0 into %arg4[0, 0] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    } {attribute}
// CHECK-NEXT:    scf.forall (%arg2) = (1) to (9) step (2) {
// CHECK-NEXT:    }
func.func @forall(%t: tensor<8x4xf32>, %n: index) -> tensor<8x4xf32> {
  %0 = scf.forall (%i, %j) in (8, %n) shared_outs(%out = %t) -> (tensor<8x4xf32>) {
    %x = tensor.extract %out[%i, %j] : tensor<8x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %out[0, 0][8, 4][1, 1] : tensor<8x4xf32> into tensor<8x4xf32>
    }
  } {attribute}
  scf.forall (%i) = (1) to (9) step (2) {
  }
  return %0 : tensor<8x4xf32>
}
