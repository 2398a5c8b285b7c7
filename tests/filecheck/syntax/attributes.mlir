// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s

// Dictionaries are sorted by name. In arrays, 64-bit numbers go without a type.
// CHECK: module @named attributes {a.first, b.list = [1, 2 : i32, 3.000000e+00, true, "s"], c.int = 4 : i64, d.dict = {x = 1 : i64, y = 2 : i64}} {
module @named attributes {
  d.dict = {y = 2 : i64, x = 1 : i64}, c.int = 4 : i64, b.list = [1 : i64, 2 : i32, 3.0 : f64, true, "s"], a.first
} {
  // CHECK-NEXT: func.func private @declared(f32 {x.a = 1 : i64, x.b}, i32) -> (f32 {x.c})
  func.func private @declared(f32 {x.b, x.a = 1 : i64}, i32) -> (f32 {x.c})
  // CHECK-NEXT: func.func @defined(%arg0: f32 {xla.slice_index = 0 : i64}) -> f32 attributes {xla.entry} {
  func.func @defined(%x: f32 {xla.slice_index = 0 : i64}) -> f32 attributes {xla.entry} {
    // CHECK-NEXT: "test.op"(%arg0) <{prop1 = i64, prop2}> {text = "tab\09quote\22back\\slash"} : (f32) -> ()
    "test.op"(%x) <{prop2, prop1 = i64}> {text = "tab\tquote\"back\\slash"} : (f32) -> ()
    // CHECK-NEXT: return %arg0 : f32
    func.return %x : f32
  }
}
