// RUN: xshardy-opt %s -p xla-gpu-lower-xla-gpu-to-scf --verify-diagnostics --split-input-file | filecheck %s

// CHECK: 'xla_gpu.shuffle_reduce' cannot reduce over a distance of 3 lanes: max_distance must be a power of 2 below the warp size 32
func.func private @f(%x: f32, %y: f32) -> f32 {
  return %x : f32
}
func.func @no_power_of_two(%x: f32) -> f32 {
  %r = xla_gpu.shuffle_reduce(%x) to 3 combiner=@f : f32
  return %r : f32
}

// -----

// CHECK: 'xla_gpu.shuffle_reduce' cannot reduce over a distance of 32 lanes
func.func private @f(%x: f32, %y: f32) -> f32 {
  return %x : f32
}
func.func @beyond_the_warp(%x: f32) -> f32 {
  %r = xla_gpu.shuffle_reduce(%x) to 32 combiner=@f : f32
  return %r : f32
}

// -----

// CHECK: cannot shuffle a value of type tensor<2xf32>: use numbers, or complex numbers
func.func private @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @tensors(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = xla_gpu.shuffle_reduce(%x) to 1 combiner=@f : tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// CHECK: 'xla_gpu.insert' takes every element that is held to the tensor, so its map has no constraints: move those of (x) -> (x), domain: x in [0, 63], x mod 2 in [0, 0] to the map of the vector
#held = #xla_gpu.indexing_map<"(th)[i] -> (th * 2 + i), domain: th in [0, 31], i in [0, 1]">
#even = #xla_gpu.indexing_map<"(x) -> (x), domain: x in [0, 63], x mod 2 in [0, 0]">
func.func @constraints(%v: !xla_gpu.indexed_vector<64xf32, #held>, %t: tensor<64xf32>, %th: index) -> tensor<64xf32> {
  %r = xla_gpu.insert %v(%th) into %t at #even : !xla_gpu.indexed_vector<64xf32, #held> -> tensor<64xf32>
  return %r : tensor<64xf32>
}
