// RUN: xshardy-opt %s -p "sdy-insert-explicit-reshards{enable-full-version=true}" | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>

// What is reduced first is moved to a sharding that is not unreduced.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %0 = sdy.all_reduce {"a"} %arg0 out_sharding=<@mesh, [{"b"}]> : tensor<8xf32>
// CHECK-NEXT:    %1 = sdy.reshard %0 <@mesh, [{"c"}]> : tensor<8xf32>
// CHECK-NEXT:    %2 = stablehlo.add %1, %arg1
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}], unreduced={"a"}>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) {
  %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
