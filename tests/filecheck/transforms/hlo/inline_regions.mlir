// RUN: xshardy-opt %s -p hlo-inline-regions | filecheck %s
// RUN: xshardy-opt %s -p hlo-inline-regions,hlo-outline-regions,hlo-dissolve-tuples,hlo-inline-regions | filecheck %s

// What the loop does not change is captured.
// CHECK-LABEL: func.func @loop
// CHECK-NEXT:    %0 = stablehlo.while(%iterArg = %arg0) : tensor<i32>
// CHECK-NEXT:    cond {
// CHECK-NEXT:      %1 = stablehlo.compare LT, %iterArg, %arg1
// CHECK-NEXT:      stablehlo.return %1
// CHECK-NEXT:    } do {
// CHECK-NEXT:      %1 = stablehlo.add %iterArg, %arg1
// CHECK-NEXT:      stablehlo.return %1
// CHECK-NEXT:    }
// CHECK-NEXT:    return %0, %arg1
// CHECK-NOT:   @cond
// CHECK-NOT:   @body
func.func @loop(%x: tensor<i32>, %y: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %0:2 = stablehlo.while(%a = %x, %b = %y) : tensor<i32>, tensor<i32> cond {
    %1 = func.call @cond(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1:2 = func.call @body(%a, %b) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    stablehlo.return %1#0, %1#1 : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}
func.func private @cond(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func private @body(%a: tensor<i32>, %b: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %0 = stablehlo.add %a, %b : tensor<i32>
  return %0, %b : tensor<i32>, tensor<i32>
}

// A computation that is called elsewhere too stays.
// CHECK-LABEL: func.func @branches
// CHECK-NEXT:    %0 = "stablehlo.if"(%arg0) ({
// CHECK-NEXT:      %2 = stablehlo.negate %arg1
// CHECK-NEXT:      stablehlo.return %2
// CHECK-NEXT:    }, {
// CHECK-NEXT:      %2 = stablehlo.negate %arg1
// CHECK:         %1 = call @negated(%0)
// CHECK:       func.func private @negated
// CHECK-NOT:   func.func
func.func @branches(%p: tensor<i1>, %x: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = func.call @negated(%x) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }, {
    %1 = func.call @negated(%x) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  %2 = func.call @negated(%0) : (tensor<i32>) -> tensor<i32>
  return %2 : tensor<i32>
}
func.func private @negated(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.negate %x : tensor<i32>
  return %0 : tensor<i32>
}

// What does more than call a computation stays; a public computation may be called from elsewhere.
// CHECK-LABEL: func.func @cases
// CHECK-NEXT:    "stablehlo.case"(%arg0) ({
// CHECK-NEXT:      %{{.*}} = stablehlo.abs %arg1
// CHECK-NEXT:      %{{.*}} = stablehlo.sine %arg1
// CHECK-NEXT:      stablehlo.return
// CHECK-NEXT:    }, {
// CHECK-NEXT:      %[[BOTH:.*]]:2 = func.call @both(%arg1)
// CHECK-NEXT:      stablehlo.return %[[BOTH]]#1, %[[BOTH]]#0
// CHECK:       func.func @both
func.func @cases(%i: tensor<i32>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0:2 = "stablehlo.case"(%i) ({
    %1:2 = func.call @both(%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
    stablehlo.return %1#0, %1#1 : tensor<f32>, tensor<f32>
  }, {
    %1:2 = func.call @both(%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
    stablehlo.return %1#1, %1#0 : tensor<f32>, tensor<f32>
  }) : (tensor<i32>) -> (tensor<f32>, tensor<f32>)
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}
func.func @both(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.abs %x : tensor<f32>
  %1 = stablehlo.sine %x : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func.func @calls_public
// CHECK:       func.func @public
func.func @calls_public(%p: tensor<i1>, %x: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = func.call @public(%x) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }, {
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func @public(%x: tensor<i32>) -> tensor<i32> {
  return %x : tensor<i32>
}

// The computation of a reduction is its region.
// CHECK-LABEL: func.func @reduction
// CHECK-NEXT:    %{{.*}} = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] {note = "kept"}
func.func @reduction(%x: tensor<4xf32>, %z: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %named = stablehlo.reduce(%x init: %z) across dimensions = [0] {hlo.to_apply = @sum, note = "kept"} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %named, %0 : tensor<f32>, tensor<f32>
}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}

// Computations that are declared only, or have several blocks, stay functions.
// CHECK-LABEL: func.func @called_branches
// CHECK:         func.call @declared(%arg1)
// CHECK:         func.call @blocks(%arg1)
// CHECK:       func.func private @declared
// CHECK:       func.func private @blocks
func.func @called_branches(%p: tensor<i1>, %x: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = func.call @declared(%x) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }, {
    %1 = func.call @blocks(%x) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func private @declared(tensor<i32>) -> tensor<i32>
func.func private @blocks(%x: tensor<i32>) -> tensor<i32> {
  cf.br ^end
^end:
  return %x : tensor<i32>
}

// A sharding has a part for each value that a loop carries.
// CHECK-LABEL: func.func @sharded_loops
// CHECK-NEXT:    stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1)
// CHECK-COUNT-2: stablehlo.return
// CHECK:         stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1)
sdy.mesh @mesh = <["a"=2]>
func.func @sharded_loops(%x: tensor<i32>, %y: tensor<i32>) {
  %0:2 = stablehlo.while(%a = %x, %b = %y) : tensor<i32>, tensor<i32>
  attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, []>]>} cond {
    %1 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1, %b : tensor<i32>, tensor<i32>
  }
  %2:2 = stablehlo.while(%a = %x, %b = %y) : tensor<i32>, tensor<i32>
  attributes {mhlo.sharding = "{{replicated}, {replicated}}"} cond {
    %1 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1, %b : tensor<i32>, tensor<i32>
  }
  return
}

// Layouts are those of the values that are left; what a configuration says of values by their numbers goes.
// CHECK-LABEL: func.func @laid_out_loop
// CHECK-NEXT:    %0 = stablehlo.while(%iterArg = %arg1) : tensor<2x3xi32> attributes {hlo.backend_config = "{\22known_trip_count\22:{\22n\22:\225\22}}", hlo.layout = [array<i64: 0, 1>]}
func.func @laid_out_loop(%x: tensor<2x3x4xi32> {hlo.layout = array<i64: 1, 0, 2>}, %y: tensor<2x3xi32> {hlo.layout = array<i64: 0, 1>}) -> tensor<2x3xi32> {
  %0:2 = stablehlo.while(%a = %x, %b = %y) : tensor<2x3x4xi32>, tensor<2x3xi32> attributes {hlo.backend_config = "{\22known_trip_count\22:{\22n\22:\225\22},\22known_induction_variable\22:{\22tuple_index\22:\221\22},\22dynamic_variables\22:[]}", hlo.layout = [array<i64: 1, 0, 2>, array<i64: 0, 1>]} cond {
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %1 = stablehlo.add %b, %b : tensor<2x3xi32>
    stablehlo.return %a, %1 : tensor<2x3x4xi32>, tensor<2x3xi32>
  }
  return %0#1 : tensor<2x3xi32>
}
