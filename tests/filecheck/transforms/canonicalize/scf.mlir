// RUN: xshardy-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: func.func @constant_condition
// CHECK-NEXT:    "test.op"() {then} : () -> ()
// CHECK-NEXT:    return %arg0 : f32
func.func @constant_condition(%x: f32, %y: f32) -> f32 {
  %true = arith.constant true
  %false = arith.constant false
  %0 = scf.if %true -> f32 {
    "test.op"() {then} : () -> ()
    scf.yield %x : f32
  } else {
    "test.op"() {else} : () -> ()
    scf.yield %y : f32
  }
  scf.if %false {
    "test.op"() {never} : () -> ()
  }
  return %0 : f32
}

// CHECK-LABEL: func.func @branches_without_work
// CHECK-NEXT:    %0 = arith.select %arg0, %arg1, %arg2 : f32
// CHECK-NEXT:    return %0, %arg1 : f32, f32
func.func @branches_without_work(%b: i1, %x: f32, %y: f32) -> (f32, f32) {
  %0:2 = scf.if %b -> (f32, f32) {
    scf.yield %x, %x : f32, f32
  } else {
    scf.yield %y, %x : f32, f32
  }
  return %0#0, %0#1 : f32, f32
}

// What has effects keeps its place; only the results that are known outside leave the branch.
// CHECK-LABEL: func.func @some_results_without_work
// CHECK-NEXT:    %0 = arith.select %arg0, %arg1, %arg2 : f32
// CHECK-NEXT:    %1 = scf.if %arg0 -> (f32) {
// CHECK-NEXT:      %2 = "test.op"() : () -> f32
// CHECK-NEXT:      scf.yield %2 : f32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %arg1 : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    return %0, %1 : f32, f32
func.func @some_results_without_work(%b: i1, %x: f32, %y: f32) -> (f32, f32) {
  %0:3 = scf.if %b -> (f32, f32, f32) {
    %z = "test.op"() : () -> f32
    scf.yield %x, %z, %z : f32, f32, f32
  } else {
    scf.yield %y, %x, %x : f32, f32, f32
  }
  return %0#0, %0#1 : f32, f32
}

// CHECK-LABEL: func.func @nested
// CHECK-NEXT:    %0 = arith.andi %arg0, %arg1 : i1
// CHECK-NEXT:    scf.if %0 {
// CHECK-NEXT:      "test.op"() : () -> ()
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @nested(%a: i1, %b: i1) {
  scf.if %a {
    scf.if %b {
      "test.op"() : () -> ()
    }
  } else {
  }
  return
}

// Branches stay nested if either has an alternative, if the inner one has an attribute, or if something is beside it.
// CHECK-LABEL: func.func @not_nested_alone
// CHECK-NOT:     arith.andi
func.func @not_nested_alone(%a: i1, %b: i1) {
  scf.if %a {
    scf.if %b {
      "test.op"() : () -> ()
    }
  } else {
    "test.op"() : () -> ()
  }
  scf.if %a {
    scf.if %b {
      "test.op"() : () -> ()
    }
    "test.op"() : () -> ()
  }
  scf.if %a {
    scf.if %b {
      "test.op"() : () -> ()
    } else {
      "test.op"() : () -> ()
    }
  }
  scf.if %a {
    scf.if %b {
      "test.op"() : () -> ()
    } {note}
  }
  return
}

// CHECK-LABEL: func.func @condition_in_branches
// CHECK-DAG:     %true = arith.constant true
// CHECK-DAG:     %false = arith.constant false
// CHECK:         scf.if %arg0 {
// CHECK-NEXT:      "test.op"(%true) : (i1) -> ()
// CHECK-NEXT:    } else {
// CHECK-NEXT:      "test.op"(%false) : (i1) -> ()
// CHECK-NEXT:    }
func.func @condition_in_branches(%a: i1) {
  scf.if %a {
    "test.op"(%a) : (i1) -> ()
  } else {
    "test.op"(%a) : (i1) -> ()
  }
  return
}

// CHECK-LABEL: func.func @trip_counts
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    "test.op"(%c0) : (index) -> ()
// CHECK-NEXT:    return %arg0 : f32
func.func @trip_counts(%x: f32) -> f32 {
  %0 = arith.constant 0 : index
  %3 = arith.constant 3 : index
  %4 = arith.constant 4 : index
  %never = scf.for %i = %3 to %0 step %3 iter_args(%carried = %x) -> f32 {
    %y = "test.op"(%carried) : (f32) -> f32
    scf.yield %y : f32
  }
  scf.for %i = %0 to %3 step %4 {
    "test.op"(%i) : (index) -> ()
  }
  return %never : f32
}

// CHECK-LABEL: func.func @iteration_arguments
// CHECK-NEXT:    %0 = scf.for %arg4 = %arg0 to %arg1 step %arg1 iter_args(%arg5 = %arg2) -> (f32) {
// CHECK-NEXT:      %1 = "test.op"(%arg5, %arg3) : (f32, f32) -> f32
// CHECK-NEXT:      scf.yield %1 : f32
// CHECK-NEXT:    } {attribute}
// CHECK-NEXT:    return %0, %arg3, %arg3 : f32, f32, f32
func.func @iteration_arguments(%m: index, %n: index, %x: f32, %y: f32) -> (f32, f32, f32) {
  %0:4 = scf.for %i = %m to %n step %n iter_args(%a = %x, %b = %y, %c = %y, %d = %x) -> (f32, f32, f32, f32) {
    %z = "test.op"(%a, %b) : (f32, f32) -> f32
    scf.yield %z, %b, %y, %z : f32, f32, f32, f32
  } {attribute}
  return %0#0, %0#1, %0#2 : f32, f32, f32
}

// CHECK-LABEL: func.func @switch
// CHECK-NEXT:    "test.op"() {two} : () -> ()
// CHECK-NEXT:    "test.op"() {default} : () -> ()
// CHECK-NEXT:    return %arg1 : f32
func.func @switch(%x: f32, %y: f32) -> f32 {
  %2 = arith.constant 2 : index
  %9 = arith.constant 9 : index
  %0 = scf.index_switch %2 -> f32
  case 1 {
    scf.yield %x : f32
  }
  case 2 {
    "test.op"() {two} : () -> ()
    scf.yield %y : f32
  }
  default {
    scf.yield %x : f32
  }
  scf.index_switch %9
  case 1 {
    scf.yield
  }
  default {
    "test.op"() {default} : () -> ()
    scf.yield
  }
  return %0 : f32
}

// CHECK-LABEL: func.func @region_of_one_block
// CHECK-NEXT:    %[[S:.*]] = arith.addi %arg0, %arg0 : i32
// CHECK-NEXT:    "test.op"() {effect} : () -> ()
// CHECK-NEXT:    return %[[S]] : i32
func.func @region_of_one_block(%x: i32) -> i32 {
  %r = scf.execute_region -> i32 {
    %s = arith.addi %x, %x : i32
    "test.op"() {effect} : () -> ()
    scf.yield %s : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @region_of_several_blocks
// CHECK-NEXT:    %[[R:.*]] = scf.execute_region -> (i32) {
// CHECK:         return %[[R]] : i32
func.func @region_of_several_blocks(%c: i1, %x: i32, %y: i32) -> i32 {
  %r = scf.execute_region -> i32 {
    cf.cond_br %c, ^first, ^second
  ^first:
    "test.op"() {first} : () -> ()
    scf.yield %x : i32
  ^second:
    "test.op"() {second} : () -> ()
    scf.yield %y : i32
  }
  return %r : i32
}
