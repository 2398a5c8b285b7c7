// RUN: xshardy emit --fuse-entry --explain %s 2>&1 | filecheck %s
// RUN: xshardy run --check --fuse-entry --levels all %s

// Eight threads for each of 16 rows of a block: nothing goes through shared memory, and each reduction leaves its result in
// all lanes. Both are of one step, so one loop accumulates both. A result with an element per row has a loop of its own.

// CHECK:      main: the row_wise emitter, hero (stablehlo.reduce): it reduces 34000 rows of 128 elements
// CHECK:      gpu.known_block_size = array<i32: 128, 1, 1>, gpu.known_grid_size = array<i32: 2125, 1, 1>
// CHECK-NOT:  allocate_shared
// CHECK:      %[[LARGEST:.*]], %[[LEAST:.*]] = xla_gpu.loop
// CHECK:      xla_gpu.shuffle_reduce(%[[LARGEST]]) to 4 combiner=@{{.*}} to_all : bf16
// CHECK:      xla_gpu.shuffle_reduce(%[[LEAST]]) to 4 combiner=@{{.*}} to_all : bf16
// CHECK:      xla_gpu.loop
// CHECK:        tensor.insert %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}] : tensor<34000x128xbf16>
// CHECK:      xla_gpu.loop
// CHECK:        tensor.insert %{{.*}} into %{{.*}}[%{{.*}}] : tensor<34000xbf16>

func.func @main(%x: tensor<34000x128xbf16>) -> (tensor<34000xbf16>, tensor<34000x128xbf16>) {
  %lowest = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %highest = stablehlo.constant dense<0x7F80> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1]
    : (tensor<34000x128xbf16>, tensor<bf16>) -> tensor<34000xbf16>
  %1 = stablehlo.reduce(%x init: %highest) applies stablehlo.minimum across dimensions = [1]
    : (tensor<34000x128xbf16>, tensor<bf16>) -> tensor<34000xbf16>
  %2 = stablehlo.subtract %0, %1 : tensor<34000xbf16>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<34000xbf16>) -> tensor<34000x128xbf16>
  %4 = stablehlo.divide %x, %3 : tensor<34000x128xbf16>
  return %2, %4 : tensor<34000xbf16>, tensor<34000x128xbf16>
}
