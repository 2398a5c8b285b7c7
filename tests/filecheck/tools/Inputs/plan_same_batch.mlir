sdy.mesh @mesh = <["data"=4, "model"=2]>

func.func @main(
    %x: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %w: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>},
    %n: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> tensor<32x64xf32> {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %step = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<5> : tensor<i32>
  %0:2 = stablehlo.while(%i = %first, %h = %x) : tensor<i32>, tensor<32x64xf32>
  cond {
    %more = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.dot %h, %w : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    %j = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<32x64xf32>
  }
  %1 = stablehlo.add %0#1, %n : tensor<32x64xf32>
  func.return %1 : tensor<32x64xf32>
}
