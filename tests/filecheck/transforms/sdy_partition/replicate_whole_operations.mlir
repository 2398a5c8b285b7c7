// RUN: xshardy-opt %s -p sdy-replicate-whole-operations | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Statistics are of the whole batch. Upstream refuses such operations in sdy-convert-global-to-local.
// CHECK-LABEL: func.func @without_rule
// CHECK-NEXT:    %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<8x4xf32>
// CHECK-NEXT:    %{{.*}} = "stablehlo.batch_norm_training"(%[[A]], %arg1, %arg1)
// CHECK-SAME:      sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, [{?}]>, <@mesh, [{?}]>]>
// CHECK-NEXT:    sdy.reshard %{{.*}} <@mesh, [{"x"}, {}]>
func.func @without_rule(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %s: tensor<4xf32>) -> tensor<8x4xf32> {
  %0, %1, %2 = "stablehlo.batch_norm_training"(%a, %s, %s) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}>
    {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{?}]>, <@mesh, [{?}]>]>}
    : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @elementwise
// CHECK-NEXT:    %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
// CHECK-NEXT:    chlo.erf %[[A]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
func.func @elementwise(%a: tensor<8x4xf32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = chlo.erf %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xf32> -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @elementwise_in_parts
// CHECK-NOT:     sdy.reshard
// CHECK:         return
func.func @elementwise_in_parts(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = chlo.erf %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Operations of CHLO that broadcast have no rule: where shapes are equal, they are elementwise.
// CHECK-LABEL: func.func @broadcasts_nothing
// CHECK-NEXT:    chlo.broadcast_add %arg0, %arg1
// CHECK-NEXT:    return
func.func @broadcasts_nothing(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %0 = chlo.broadcast_add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @broadcasts_rows
// CHECK-NEXT:    %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<8x4xf32>
// CHECK-NEXT:    chlo.broadcast_add %[[A]], %arg1
func.func @broadcasts_rows(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<4xf32>) -> tensor<8x4xf32> {
  %0 = chlo.broadcast_add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// The batch stays divided; the dimension in which elements are chosen becomes whole.
// CHECK-LABEL: func.func @batches
// CHECK-NEXT:    %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
// CHECK-NEXT:    chlo.top_k(%[[A]], k = 2)
// CHECK-SAME:      <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>
func.func @batches(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x2xf32> {
  %values, %indices = chlo.top_k(%a, k = 2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>]>}
    : tensor<8x4xf32> -> (tensor<8x2xf32>, tensor<8x2xi32>)
  return %values : tensor<8x2xf32>
}

// Nothing says what the call does along k, which only operands have; i and j are independent.
// CHECK-LABEL: func.func @written_rule
// CHECK-NEXT:    %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
// CHECK-NEXT:    %[[B:.*]] = sdy.reshard %arg1 <@mesh, [{}, {}]> : tensor<4x6xf32>
// CHECK-NEXT:    stablehlo.custom_call @product(%[[A]], %[[B]])
func.func @written_rule(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x6xf32> {
  %0 = stablehlo.custom_call @product(%a, %b) {
    sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>,
    sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=6, k=4}, custom>
  } : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @branches
// CHECK:         stablehlo.return %arg1
// CHECK:         stablehlo.return %[[B:.*]] : tensor<8xf32>
func.func @branches(%p: tensor<i1>, %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<8xf32>
  }, {
    stablehlo.return %b : tensor<8xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<i1>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The addition looks behind the barrier; what is returned has the sharding of the barrier.
// CHECK-LABEL: func.func @barrier
// CHECK-NEXT:    %[[R:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
// CHECK-NEXT:    %[[S:.*]] = stablehlo.add %arg0, %arg0 : tensor<8xf32>
// CHECK-NEXT:    return %[[R]], %[[S]]
func.func @barrier(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32>) {
  %0 = sdy.propagation_barrier %a allowed_direction=NONE {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  %1 = stablehlo.add %0, %0 : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// A slice of one element is on one device; the others have padding, which must not be spread over the result.
// CHECK-LABEL: func.func @the_element_that_is_spread_is_needed_whole
// CHECK:         %[[WHOLE:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> : tensor<1x3xf32>
// CHECK-NEXT:    stablehlo.broadcast_in_dim %[[WHOLE]]
func.func @the_element_that_is_spread_is_needed_whole(%x: tensor<1x3xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<1x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @what_is_not_spread_stays_sharded
// CHECK-NOT:     sdy.reshard
func.func @what_is_not_spread_stays_sharded(%x: tensor<8x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x1xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}
