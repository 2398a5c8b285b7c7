// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK: func.func private @one_scale(tensor<2x!quant.uniform<i8:f32, 5.000000e-01:2>>)
func.func private @one_scale(tensor<2x!quant.uniform<i8:f32, 0.5:2>>)
// CHECK: func.func private @limits(tensor<2x!quant.uniform<u4<1:14>:f16, 2.500000e-01>>)
func.func private @limits(tensor<2x!quant.uniform<u4<1:14>:f16, 0.25:0>>)
// CHECK: func.func private @storage_with_a_sign(tensor<2x!quant.uniform<si8:f32, 1.000000e+00>>)
func.func private @storage_with_a_sign(tensor<2x!quant.uniform<si8<-128:127>:f32, 1.0>>)
// CHECK: func.func private @scale_by_index(tensor<2x!quant.uniform<i8:f32:0, {1.000000e+00:3,2.000000e+00}>>)
func.func private @scale_by_index(tensor<2x!quant.uniform<i8:f32:0, {1.0:3, 2.0}>>)
// CHECK: func.func private @scale_by_block(tensor<2x4x!quant.uniform<i8<-8:7>:f32:{0:1, 1:2}, {{[{][{]}}2.000000e+00:3, 3.000000e+00}, {4.000000e+00, 5.000000e+00:-1}}>>)
func.func private @scale_by_block(tensor<2x4x!quant.uniform<i8<-8:7>:f32:{0:1, 1:2}, {{2.0:3, 3.0}, {4.0, 5.0:-1}}>>)
