// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: expecting priority in format 'p<number>', got: p
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}p, {}]>}) {
  return
}

// -----

// CHECK: expecting priority in format 'p<number>', got: q1
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}q1, {}]>}) {
  return
}

// -----

// CHECK: priorities with leading zeros are not allowed, got: p01
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}p01, {}]>}) {
  return
}

// -----

// CHECK: expecting integer priority, got: p1180591620717411303424
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}p1180591620717411303424, {}]>}) {
  return
}

// -----

// CHECK: integer value too large
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)1180591620717411303424}, {}]>}) {
  return
}

// -----

// CHECK: expected '}'
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?, "a"}, {}]>}) {
  return
}

// -----

// CHECK: expected '{'
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, ["a", {}]>}) {
  return
}

// -----

// CHECK: expected '='
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated{"a"}>}) {
  return
}

// -----

// CHECK: expected '{'
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated="a">}) {
  return
}

// -----

// CHECK: expected valid named axis list after comma
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], shared={"a"}>}) {
  return
}

// -----

// CHECK: expected valid named axis list after comma
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"a"}, replicated={"b"}>}) {
  return
}

// -----

// CHECK: expected valid named axis list after comma
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}],>}) {
  return
}

// -----

// CHECK: expecting MeshAttr or FlatSymbolRefAttr: write the name of a mesh
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<[{}, {}]>}) {
  return
}

// -----

// CHECK: expected ','
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh::@nested, [{}, {}]>}) {
  return
}

// -----

// CHECK: expected string
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{a}, {}]>}) {
  return
}

// -----

// CHECK: expected a sharding, as in
func.func @an_axis_in_a_list(%x: tensor<8xf32>) {
  %0 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[#sdy.axis_ref<"a">]>} : tensor<8xf32>
  func.return
}

// -----

// CHECK: expected valid named axis list after comma
func.func @nothing_after_the_comma(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], other={"a"}>}) {
  func.return
}

// -----

// Lists without axes are left out.
// CHECK: error: expected string
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={}>}) {
  return
}

// -----

// CHECK: error: expected string
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={}>}) {
  return
}
