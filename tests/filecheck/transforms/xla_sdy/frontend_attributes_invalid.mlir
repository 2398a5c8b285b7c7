// RUN: xshardy-opt %s -p xla-sdy-round-trip-import-shardy-attrs --split-input-file --verify-diagnostics | filecheck %s

// CHECK: error: xla.sdy.sharding is 1 : i32: expected the text of an attribute, in quotes
func.func @no_text(%x: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = 1 : i32}}) {
  return
}

// -----

// CHECK: error: xla.sdy.sharding is '#sdy.sharding<', which cannot be read:
func.func @half_a_text(%x: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<"}}) {
  return
}

// -----

// CHECK: error: xla.sdy.sharding is '300 : i8', which cannot be read: Integer value 300 is out of range for type i8
func.func @no_such_number(%x: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "300 : i8"}}) {
  return
}
