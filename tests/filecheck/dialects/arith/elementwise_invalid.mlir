// RUN: xshardy-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// CHECK: unknown predicate 'lt': expected one of eq, ne, slt
func.func @predicate(%a: i32) {
  %c = arith.cmpi lt, %a, %a : i32
  return
}

// -----

// CHECK: condition vector<3xi1> must be i1, or have the shape of vector<4xi32>
func.func @condition(%a: vector<4xi32>, %c: vector<3xi1>) {
  %x = arith.select %c, %a, %a : vector<3xi1>, vector<4xi32>
  return
}

// -----

// CHECK: vector<4xi8> and vector<2xi32> must have the same shape
func.func @shapes(%a: vector<4xi8>) {
  %x = arith.extui %a : vector<4xi8> to vector<2xi32>
  return
}

// -----

// CHECK: Destination bit-width must be larger than the input bit-width
func.func @widths(%a: vector<4xi32>) {
  %x = arith.extsi %a : vector<4xi32> to vector<4xi8>
  return
}

// -----

// CHECK: unknown predicate 12: expected 0 to 9, which are eq, ne, slt
func.func @predicate(%a: i32) {
  %x = "arith.cmpi"(%a, %a) <{predicate = 12 : i64}> : (i32, i32) -> i1
  return
}
