// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: parse_errors.mlir:5:3: error: operation 'arith.nothing' is not registered
func.func @unknown_operation() {
  arith.nothing
}

// -----

// CHECK: parse_errors.mlir:12:15: error: use of undeclared SSA value name %y
func.func @undeclared(%x: i32) -> i32 {
  func.return %y : i32
}

// -----

// CHECK: parse_errors.mlir:19:3: error: 'func.call' op has 1 results, but 2 names are bound to them
func.func @too_many_names() -> i32 {
  %0:2 = func.call @too_many_names() : () -> i32
  func.return %0#0 : i32
}

// -----

// CHECK: error: custom op 'func.func' either all arguments of a function have names, or none has
func.func @half_named(%x: i32, f32) {
}

// -----

// A text without operations is an empty module, as for upstream's tools.
// CHECK: module {
// CHECK-NEXT: }

// -----

// CHECK: error: 'arith.constant' op Integer value 300 is out of range for type i8
func.func @too_large() {
  %0 = arith.constant 300 : i8
  func.return
}

// -----

// What an operation's own syntax complains of is said in its name, what its tokens, types and values are not.
// CHECK: error: custom op 'stablehlo.concatenate' expected 'dim'
func.func @keyword(%x: tensor<4xf32>) {
  %0 = stablehlo.concatenate %x, %x, dimension = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: error: custom op 'stablehlo.transpose' expected integer value
func.func @integer(%x: tensor<4xf32>) {
  %0 = stablehlo.transpose %x, dims = [a] : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: error: custom op 'stablehlo.custom_call' expected valid '@'-identifier for symbol name
func.func @symbol(%x: tensor<4xf32>) {
  %0 = stablehlo.custom_call "foo"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: error: expected '['
func.func @token(%x: tensor<4xf32>) {
  %0 = stablehlo.slice %x 0:2 : (tensor<4xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: error: expected non-function type
func.func @type(%x: tensor<4xf32>) {
  %0 = stablehlo.abs %x : %x
  func.return
}

// -----

// CHECK: error: use of value '%x' expects different type than prior uses: 'tensor<4xi32>' vs 'tensor<4xf32>'
func.func @value(%x: tensor<4xf32>) {
  %0 = stablehlo.abs %x : tensor<4xi32>
  func.return
}

// -----

// CHECK: error: redefinition of SSA value '%x'
func.func @two_definitions(%x: tensor<4xf32>) {
  %x = stablehlo.abs %x : tensor<4xf32>
  func.return
}

// -----

// CHECK: error: definition of SSA value '%y' has type 'tensor<4xf32>', but it was used before with type 'tensor<4xi32>'
func.func @used_before(%x: tensor<4xf32>) {
  %z = stablehlo.abs %y : tensor<4xi32>
  %y = stablehlo.abs %x : tensor<4xf32>
  func.return
}

// -----

// CHECK: error: undefined symbol alias id 'layout'
func.func @alias(%x: tensor<4xf32, #layout>) {
  func.return
}

// -----

// CHECK: error: duplicate key 'a' in dictionary attribute
func.func @twice() attributes {a = 1 : i32, a = 2 : i32} {
  func.return
}

// -----

// CHECK: error: expected '->'
func.func @in_generic_form(%x: tensor<4xf32>) {
  %0 = "stablehlo.abs"(%x) : (tensor<4xf32>)
  func.return
}

// -----

// CHECK: Invalid type given for integer or float attribute.
"test.op"() {a = 1 : !stablehlo.token} : () -> ()

// -----

// CHECK: dense array element type must be an integer or floating point type
"test.op"() {a = array<!stablehlo.token: 1>} : () -> ()

// -----

// CHECK: Expected float literal
"test.op"() {a = array<f32: x>} : () -> ()

// -----

// CHECK: numbers of type f80 are not supported
"test.op"() {a = 1.0 : f80} : () -> ()

// -----

// CHECK: expected an integer type, as in <i32, 0, 128>, not f32
"test.op"() {a = #llvm.constant_range<f32, 0, 1>} : () -> ()

// -----

// CHECK: custom op 'llvm.fcmp' unknown predicate 'less': expected one of _false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno, _true
func.func @f(%x: f32) {
  %0 = llvm.fcmp "less" %x, %x : f32
  func.return
}
