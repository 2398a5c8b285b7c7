// RUN: xshardy-opt %s -t hlo | filecheck %s

// CHECK:  %copy = f32[2,8]{1,0} copy(%x), sharding={devices=[2,1]<=[2]}
// CHECK:  %topk = (f32[2,3]{1,0}, s32[2,3]{1,0}) topk(%copy), k=3, largest=false
func.func @main(%x: tensor<2x8xf32>) -> tensor<2x3xf32> {
  %0 = mhlo.copy %x {mhlo.sharding = "{devices=[2,1]<=[2]}"} : tensor<2x8xf32>
  %1:2 = mhlo.topk(%0, k=3, largest=false) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %1#0 : tensor<2x3xf32>
}
