// RUN: xshardy-opt %s -p canonicalize | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>

// Only the last of two reshards counts.
// CHECK-LABEL: @reshard_of_reshard(
// CHECK-NEXT: %{{.*}} = sdy.reshard %arg0 <@mesh, [{"b"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16x8xf32>
func.func @reshard_of_reshard(%arg0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"b"}, {}]> : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// The inner one has another reader.
// CHECK-LABEL: @inner_has_another_reader(
// CHECK-NEXT: %{{.*}} = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = sdy.reshard %{{.*}} <@mesh, [{"b"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}}, %{{.*}} : tensor<16x8xf32>, tensor<16x8xf32>
func.func @inner_has_another_reader(%arg0: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"b"}, {}]> : tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}

// The same reshard is done once.
// CHECK-LABEL: @twice(
// CHECK-NEXT: %{{.*}} = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = stablehlo.add %{{.*}}, %{{.*}} : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16x8xf32>
func.func @twice(%arg0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// Reshards to different shardings are both done.
// CHECK-LABEL: @twice_differently(
// CHECK-NEXT: %{{.*}} = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = sdy.reshard %arg0 <@mesh, [{"b"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = stablehlo.add %{{.*}}, %{{.*}} : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16x8xf32>
func.func @twice_differently(%arg0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = sdy.reshard %arg0 <@mesh, [{"b"}, {}]> : tensor<16x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// A reshard of a reshape that leaves each device what an earlier reshard gave it is a reshape.
// CHECK-LABEL: @through_a_reshape(
// CHECK-NEXT: %{{.*}} = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = stablehlo.reshape %{{.*}} : (tensor<16x8xf32>) -> tensor<128xf32>
// CHECK-NEXT: %{{.*}} = stablehlo.reshape %{{.*}} : (tensor<128xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = stablehlo.add %{{.*}}, %{{.*}} : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16x8xf32>
func.func @through_a_reshape(%arg0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = stablehlo.reshape %arg0 : (tensor<16x8xf32>) -> tensor<128xf32>
  %2 = sdy.reshard %1 <@mesh, [{"a"}]> : tensor<128xf32>
  %3 = stablehlo.reshape %2 : (tensor<128xf32>) -> tensor<16x8xf32>
  %4 = stablehlo.add %0, %3 : tensor<16x8xf32>
  return %4 : tensor<16x8xf32>
}

// Here it is the rows of the tensor that are divided, and there the columns.
// CHECK-LABEL: @through_a_reshape_of_other_elements(
// CHECK-NEXT: %{{.*}} = sdy.reshard %arg0 <@mesh, [{}, {"a"}]> : tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = stablehlo.reshape %arg0 : (tensor<16x8xf32>) -> tensor<128xf32>
// CHECK-NEXT: %{{.*}} = sdy.reshard %{{.*}} <@mesh, [{"a"}]> : tensor<128xf32>
// CHECK-NEXT: %{{.*}} = stablehlo.reshape %{{.*}} : (tensor<128xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = stablehlo.add %{{.*}}, %{{.*}} : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16x8xf32>
func.func @through_a_reshape_of_other_elements(%arg0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{}, {"a"}]> : tensor<16x8xf32>
  %1 = stablehlo.reshape %arg0 : (tensor<16x8xf32>) -> tensor<128xf32>
  %2 = sdy.reshard %1 <@mesh, [{"a"}]> : tensor<128xf32>
  %3 = stablehlo.reshape %2 : (tensor<128xf32>) -> tensor<16x8xf32>
  %4 = stablehlo.add %0, %3 : tensor<16x8xf32>
  return %4 : tensor<16x8xf32>
}

// A transpose moves the sharding with the dimensions.
// CHECK-LABEL: @through_a_transpose(
// CHECK-NEXT: %{{.*}} = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
// CHECK-NEXT: %{{.*}} = stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = stablehlo.add %{{.*}}, %{{.*}} : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16x8xf32>
func.func @through_a_transpose(%arg0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
  %2 = sdy.reshard %1 <@mesh, [{}, {"a"}]> : tensor<8x16xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
  %4 = stablehlo.add %0, %3 : tensor<16x8xf32>
  return %4 : tensor<16x8xf32>
}

// A reshard that nobody reads goes; a sharding_constraint is the wish of the user, and stays.
// CHECK-LABEL: @unread(
// CHECK-NEXT: %{{.*}} = sdy.sharding_constraint %arg0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: return %arg0 : tensor<16x8xf32>
func.func @unread(%arg0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %arg0 : tensor<16x8xf32>
}

// A reshard of the same tensor in another shape comes before: it is reshaped.
// CHECK-LABEL: @of_another_shape(
// CHECK-NEXT: %{{.*}} = stablehlo.reshape %arg0 : (tensor<8x4xf32>) -> tensor<32xf32>
// CHECK-NEXT: %{{.*}} = sdy.reshard %{{.*}} <@mesh, [{"a"}]> : tensor<32xf32>
// CHECK-NEXT: %{{.*}} = stablehlo.reshape %{{.*}} : (tensor<32xf32>) -> tensor<8x4xf32>
// CHECK-NEXT: return
func.func @of_another_shape(%arg0: tensor<8x4xf32>) -> (tensor<32xf32>, tensor<8x4xf32>) {
  %0 = stablehlo.reshape %arg0 : (tensor<8x4xf32>) -> tensor<32xf32>
  %1 = sdy.reshard %0 <@mesh, [{"a"}]> : tensor<32xf32>
  %2 = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<8x4xf32>
  return %1, %2 : tensor<32xf32>, tensor<8x4xf32>
}

// One that replicates along an axis in so many words is another one.
// CHECK-LABEL: @of_another_shape_and_replicated(
// CHECK: sdy.reshard %{{.*}} <@mesh, [{"a"}], replicated={"b"}> : tensor<32xf32>
// CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<8x4xf32>
func.func @of_another_shape_and_replicated(%arg0: tensor<8x4xf32>) -> (tensor<32xf32>, tensor<8x4xf32>) {
  %0 = stablehlo.reshape %arg0 : (tensor<8x4xf32>) -> tensor<32xf32>
  %1 = sdy.reshard %0 <@mesh, [{"a"}], replicated={"b"}> : tensor<32xf32>
  %2 = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<8x4xf32>
  return %1, %2 : tensor<32xf32>, tensor<8x4xf32>
}
