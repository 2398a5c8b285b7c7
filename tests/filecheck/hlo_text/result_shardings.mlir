// RUN: xshardy-opt %s -t hlo --split-input-file | filecheck %s

// The sharding of a result is that of the root. A value that is sharded otherwise is copied.

// CHECK-LABEL: ENTRY %same {
// CHECK: ROOT %negate = f32[4]{0} negate(%x), sharding={devices=[2]<=[2]}
func.func @same(%x: tensor<4xf32>) -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
  %0 = stablehlo.negate %x {mhlo.sharding = "{devices=[2]<=[2]}"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: ENTRY %without {
// CHECK: ROOT %negate = f32[4]{0} negate(%x), sharding={devices=[2]<=[2]}
func.func @without(%x: tensor<4xf32>) -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: ENTRY %other {
// CHECK: %negate = f32[4]{0} negate(%x), sharding={replicated}
// CHECK-NEXT: ROOT %copy = f32[4]{0} copy(%negate), sharding={devices=[2]<=[2]}
func.func @other(%x: tensor<4xf32>) -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
  %0 = stablehlo.negate %x {mhlo.sharding = "{replicated}"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: ENTRY %argument {
// CHECK-NEXT: %x = f32[4]{0} parameter(0), sharding={replicated}
// CHECK-NEXT: ROOT %copy = f32[4]{0} copy(%x), sharding={devices=[2]<=[2]}
func.func @argument(%x: tensor<4xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
  return %x : tensor<4xf32>
}

// -----

// CHECK-LABEL: ENTRY %several {
// CHECK: ROOT %tuple = (f32[4]{0}, f32[]) tuple(%x, %y), sharding={{[{][{]}}devices=[2]<=[2]}, {replicated}}
func.func @several(%x: tensor<4xf32>, %y: tensor<f32>)
    -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}, tensor<f32> {mhlo.sharding = "{replicated}"}) {
  return %x, %y : tensor<4xf32>, tensor<f32>
}

// -----

// A tuple has a sharding for each of its elements, or none.
// CHECK-LABEL: ENTRY %some {
// CHECK: ROOT %tuple = (f32[4]{0}, f32[]) tuple(%x, %y){{$}}
func.func @some(%x: tensor<4xf32>, %y: tensor<f32>) -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}, tensor<f32>) {
  return %x, %y : tensor<4xf32>, tensor<f32>
}
