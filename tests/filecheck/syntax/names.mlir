// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// A bare name is ASCII; quotes hold any text in UTF-8, which is printed with escapes as upstream's tools do.
// CHECK: names.mlir:5:14: error: unexpected character: quote this name
func.func @a(é = 1)

// -----
// CHECK: names.mlir:9:12: error: unexpected character: quote this name
func.func @é() {
  return
}

// -----
// CHECK: error: unexpected character: quote this name
// CHECK-NEXT: func.func @a() attributes {é = 1 : i32}
func.func @a() attributes {é = 1 : i32} {
  return
}

// -----
// CHECK: error: expected a name after '%': digits, or letters, digits and $._- that do not start with a digit
func.func @a(%é: f32) {
  return
}

// -----
// CHECK: error: expected a name after '#'
func.func @a() attributes {b = #} {
  return
}

// -----
// CHECK: func.func @"\C3\A9"() attributes {"a b" = 3 : i32, "\C3\A9" = 1 : i32, "\E6\97\A5\E6\9C\AC" = 2 : i32} {
func.func @"é"() attributes {"\C3\A9" = 1 : i32, "日本" = 2 : i32, "a b" = 3 : i32} {
  return
}

// -----
// CHECK: error: custom op 'func.func' expected a name in UTF-8
func.func @a() attributes {"\C3" = 1 : i32} {
  return
}
