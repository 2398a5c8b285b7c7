// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: :5:34: error: operation location alias was never defined
// CHECK-NEXT: func.func @f() { func.return loc(#loc9) }
func.func @f() { func.return loc(#loc9) }

// -----

// CHECK: :10:38: error: undefined symbol alias id 'loc1'
func.func @f() { func.return loc("a"(#loc1)) }
#loc3 = loc("b")

// -----

// CHECK: :16:17: error: undefined symbol alias id 'loc2'
#loc1 = loc("a"(#loc2))
#loc3 = loc("b")
func.func @f() { func.return loc(#loc1) }

// -----

// CHECK: :25:1: error: redefinition of attribute alias id 'loc1'
func.func @f() { func.return loc(#loc1) }
#loc1 = loc("a")
#loc1 = loc("b")

// -----

// CHECK: :30:34: error: expected location, but found '3 : i32'
func.func @f() { func.return loc(#loc1) }
#loc1 = 3 : i32

// -----

// CHECK: :37:34: error: expected location, but found '3 : i32'
#loc1 = 3 : i32
func.func @f() { func.return loc(#loc1) }

// -----

// A definition that the file ends in.
// CHECK: error: expected ')' in location
func.func @f() { func.return loc(#loc1) }
#loc1 = loc("a"

// -----

// CHECK: error: End of file reached before closing string literal
func.func @f() { func.return loc(#loc1) }
#loc1 = loc("a

// -----

// CHECK: :55:34: error: expected location instance
func.func @f() { func.return loc(somewhere) }

// -----

// CHECK: :60:40: error: expected integer column number in FileLineColRange
func.func @f() { func.return loc("f":1:) }

// -----

// CHECK: :65:44: error: expected either integer or `:` post `to` in FileLineColRange
func.func @f() { func.return loc("f":1:2 to) }

// -----

// CHECK: :70:38: error: expected integer line number in FileLineColRange
func.func @f() { func.return loc("f":4294967296:2) }

// -----

// CHECK: :75:47: error: expected 'at' in callsite location
func.func @f() { func.return loc(callsite("a" "b")) }

// -----

// A location in itself, through another one and through a name.
// CHECK: :83:31: error: a location is defined by itself
func.func @f() { func.return loc(#loc1) }
#loc1 = loc(callsite("x" at "y"))
#loc3 = loc(callsite(#loc1 at #loc2))
#loc2 = loc("b"(#loc3))

// -----

// CHECK: :90:13: error: a location is defined by itself
func.func @f() { func.return loc(#loc1) }
#loc1 = loc(#loc1)

// -----

// Metadata that is no text: such a location is read at once.
// CHECK: :97:28: error: location '#loc1' has others inside it that are not defined yet
#loc1 = loc("a"(#loc3))
#loc2 = loc(fused<1 : i32>[#loc1])
#loc3 = loc("b")
func.func @f() { func.return loc(#loc2) }

// -----

// CHECK: :106:28: error: location '#loc1' is defined by itself
#loc1 = loc("a"(#loc3))
#loc3 = loc("b"(#loc1))
#loc2 = loc(fused<1 : i32>[#loc1])
func.func @f() { func.return loc(#loc2) }

// -----

// CHECK: :112:17: error: expected location, but found '3 : i32'
#loc1 = loc("a"(#loc2))
#loc2 = 3 : i32
func.func @f() { func.return loc(#loc1) }

// -----

// CHECK: undefined symbol alias id 'undefined'
"test.op"() : () -> () loc(fused[#undefined, "a"])

// -----

// CHECK: expected a name in UTF-8
"test.op"() : () -> () loc("\FF":1:2)
