// RUN: xshardy-opt %s -p 'xla-sdy-stablehlo-export-pipeline{enable_hlo_sharding_v3=true}' | filecheck %s
// RUN: xshardy-opt %s -p 'xla-sdy-stablehlo-export-pipeline{enable-hlo-sharding-v3=true}' -t hlo | filecheck %s --check-prefix HLO

// CHECK-NOT: sdy.mesh
sdy.mesh @mesh = <["x"=8, "y"=4]>
sdy.mesh @ids = <["a"=2, "b"=2], device_ids=[0, 2, 1, 3]>
sdy.mesh @one = <[], device_ids=[1]>
sdy.mesh @none = <[]>

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %arg0: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=8,'y'=4], [{'y'}, {'x':(2)2, ?}]}"}
// CHECK-SAME:    %arg1: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=8,'y'=4], replicated}"}
// CHECK-SAME:    %arg2: tensor<8x8xf32> {mhlo.sharding = "{mesh['a'=2,'b'=2], device_ids=(0,2,1,3), [{}, {?}], replicated={'a'}, unreduced={'b'}}"}
// CHECK-SAME:    %arg3: tensor<8x8xf32> {mhlo.sharding = "{maximal_mesh[device_id=1]}"}
// CHECK-SAME:    %arg4: tensor<8x8xf32> {mhlo.sharding = "{mesh[], replicated}"}
// CHECK-SAME:    %arg5: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=8,'y'=4], [{}, {}], unreduced={'x', 'y'}, metadata={op_type=\22sdy::reduction_op\22 op_name=\22MAX\22}}"}
// HLO: %a = f32[8,8]{1,0} parameter(0), sharding={mesh['x'=8,'y'=4], [{'y'}, {'x':(2)2, ?}]}
func.func @main(
    %a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x":(2)2, ?}p3]>},
    %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
    %c: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@ids, [{}, {?}], replicated={"a"}, unreduced={"b"}>},
    %d: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@one, []>},
    %e: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@none, [{}, {}]>},
    %f: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"x", "y"}>}) -> tensor<32x2xi32> {
  // CHECK:      stablehlo.constant {mhlo.sharding = "{mesh['x'=8,'y'=4], [{}, {'x'}], manual={'y'}}"}
  %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>, xla.sdy.manual_axes = #sdy<manual_axes{"y"}>} dense<0> : tensor<32x2xi32>
  // CHECK:      call @xla.sdy.inlinable_manual_computation_body({{.*}}) {mhlo.sharding = "{mesh['x'=8,'y'=4], manual}"}
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>] manual_axes={"y", "x"} (%arg1: tensor<1x2xi32>) {
    %2 = stablehlo.negate %arg1 : tensor<1x2xi32>
    sdy.return %2 : tensor<1x2xi32>
  } : (tensor<32x2xi32>) -> tensor<32x2xi32>
  // CHECK:      stablehlo.while{{.*}} attributes {mhlo.sharding = "{mesh[], replicated}"}
  %3 = stablehlo.while(%i = %1) : tensor<32x2xi32> cond {
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %i : tensor<32x2xi32>
  }
  // CHECK:      stablehlo.create_token {mhlo.sharding = "{maximal_mesh[device_id=0]}"}
  %t = stablehlo.create_token : !stablehlo.token
  return %3 : tensor<32x2xi32>
}
