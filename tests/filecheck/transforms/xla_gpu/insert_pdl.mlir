// RUN: xshardy-opt %s -p xla-gpu-insert-pdl | filecheck %s
// RUN: xshardy-opt %s -p xla-gpu-insert-pdl,xla-gpu-insert-pdl | filecheck %s

// CHECK-LABEL: func.func @kernel
// CHECK-NEXT:    "xla_gpu.pdl_wait"() : () -> ()
// CHECK-NEXT:    arith.constant
// CHECK-NOT:     pdl_wait
// CHECK-LABEL: func.func private @function
func.func @kernel(%x: tensor<4xf32> {xla.slice_index = 0 : index}) -> tensor<4xf32> attributes {xla.entry} {
  %i = arith.constant 0 : index
  %0 = func.call @function(%x, %i) : (tensor<4xf32>, index) -> f32
  %1 = tensor.insert %0 into %x[%i] : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// A function of the kernel runs after its wait.
// CHECK-NOT: pdl_wait
func.func private @function(%x: tensor<4xf32>, %i: index) -> f32 {
  %0 = tensor.extract %x[%i] : tensor<4xf32>
  func.return %0 : f32
}

// A wait that is there stays the only one.
// CHECK-LABEL: func.func @waiting
// CHECK-NEXT:    gpu.thread_id
// CHECK-NEXT:    "xla_gpu.pdl_wait"() : () -> ()
// CHECK-NOT:     pdl_wait
func.func @waiting(%x: tensor<4xf32> {xla.slice_index = 0 : index}) -> tensor<4xf32> attributes {xla.entry} {
  %i = gpu.thread_id x
  "xla_gpu.pdl_wait"() : () -> ()
  %0 = arith.constant 1.0 : f32
  %1 = tensor.insert %0 into %x[%i] : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
// CHECK-NOT: pdl_wait

// A declaration has no body.
// CHECK: func.func private @outside() -> f32 attributes {xla.entry}
func.func private @outside() -> f32 attributes {xla.entry}
