// RUN: xshardy-opt %s -p xla-gpu-lower-affine --split-input-file | filecheck %s

// CHECK-LABEL: func.func @mod(
// CHECK:         %[[R:.*]] = arith.remsi %arg0, %c3 : index
// CHECK-NEXT:    %[[NEGATIVE:.*]] = arith.cmpi slt, %[[R]], %c0 : index
// CHECK-NEXT:    %[[UP:.*]] = arith.addi %[[R]], %c3 overflow<nsw> : index
// CHECK-NEXT:    %[[MOD:.*]] = arith.select %[[NEGATIVE]], %[[UP]], %[[R]] : index
// CHECK-NEXT:    return %[[MOD]] : index
func.func @mod(%i: index) -> index {
  %0 = affine.apply affine_map<(d0) -> (d0 mod 3)>(%i)
  return %0 : index
}

// -----

// CHECK-LABEL: func.func @floordiv(
// CHECK:         %[[NEGATIVE:.*]] = arith.cmpi slt, %arg1, %c0 : index
// CHECK-NEXT:    %[[MIRRORED:.*]] = arith.subi %c-1, %arg1 overflow<nsw> : index
// CHECK-NEXT:    %[[POSITIVE:.*]] = arith.select %[[NEGATIVE]], %[[MIRRORED]], %arg1 : index
// CHECK-NEXT:    %[[Q:.*]] = arith.divsi %[[POSITIVE]], %c3 : index
// CHECK-NEXT:    %[[BACK:.*]] = arith.subi %c-1, %[[Q]] overflow<nsw> : index
// CHECK-NEXT:    %[[FLOOR:.*]] = arith.select %[[NEGATIVE]], %[[BACK]], %[[Q]] : index
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi %arg0, %[[FLOOR]] overflow<nsw> : index
func.func @floordiv(%i: index, %j: index) -> index {
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 + s0 floordiv 3)>(%i)[%j]
  return %0 : index
}

// -----

// CHECK-LABEL: func.func @ceildiv(
// CHECK:         %[[NEGATED:.*]] = arith.subi %c0, %arg0 overflow<nsw> : index
// CHECK:         arith.cmpi slt, %[[NEGATED]], %{{.*}} : index
// CHECK:         arith.divsi
// CHECK:         %[[FLOOR:.*]] = arith.select
// CHECK-NEXT:    %[[CEIL:.*]] = arith.subi %c0, %[[FLOOR]] overflow<nsw> : index
// CHECK-NEXT:    return %[[CEIL]] : index
func.func @ceildiv(%i: index) -> index {
  %0 = affine.apply affine_map<(d0) -> (d0 ceildiv 3)>(%i)
  return %0 : index
}

// -----

// Operands from outside of the loop are added first, so that their sum can leave it.

// CHECK-LABEL: func.func @outermost_first(
// CHECK:         scf.for
// CHECK-NEXT:      %[[INSIDE:.*]] = "test.op"() : () -> index
// CHECK-NEXT:      %[[SUM:.*]] = arith.addi %arg0, %arg1 overflow<nsw> : index
// CHECK-NEXT:      %{{.*}} = arith.addi %[[SUM]], %[[INSIDE]] overflow<nsw> : index
func.func @outermost_first(%m: index, %n: index) {
  scf.for %i = %m to %n step %n {
    %x = "test.op"() : () -> index
    %0 = affine.apply affine_map<(d0, d1, d2) -> (d0 + d1 + d2)>(%x, %m, %n)
    "test.op"(%0) : (index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @extremum(
// CHECK:         arith.maxsi %arg0, %{{.*}} : index
func.func @extremum(%x: index) -> index {
  %0 = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (max(d0, 3)), domain: d0 in [-1, 7]">(%x)
  return %0 : index
}
