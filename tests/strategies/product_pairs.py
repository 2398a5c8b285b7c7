"""A small pair of programs: a product whose contracted dimension is divided, and what devices make of it."""

WHOLE = """sdy.mesh @mesh = <["x"=2]>
func.func @main(
    %x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %w: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.tanh %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
"""

UNSHARDED = """func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.tanh %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
"""

RELATION = """mesh = '<["x"=2]>'
arguments = ['[{}, {"x"}]', '[{"x"}, {}]']
results = ['[{}, {}]']
"""

PRODUCT = """  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
"""


def all_reduced(result: str, operand: str, type: str, groups: str = "[[0, 1]]", combiner: str = "add") -> str:
    """`%result = all_reduce %operand`; `groups` has the devices that combine their tensors."""
    rows, devices = groups.count("[") - 1, groups.count(",") + 1
    element = type.split("x")[-1]
    return f"""  {result} = "stablehlo.all_reduce"({operand}) <{{
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<{groups}> : tensor<{rows}x{devices // rows}xi64>, use_global_device_ids}}> ({{
  ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
    %s = stablehlo.{combiner} %a, %b : tensor<{element}>
    stablehlo.return %s : tensor<{element}>
  }}) : (tensor<{type}>) -> tensor<{type}>
"""


def of_device(body: str, devices: int | None = 2) -> str:
    """The program of each device, whose result is `%r`."""
    declared = "" if devices is None else f" attributes {{mhlo.num_partitions = {devices} : i32}}"
    return f"""module{declared} {{
func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {{
{body}  return %r : tensor<4x4xf32>
}}
}}
"""


RIGHT = of_device(PRODUCT + all_reduced("%1", "%0", "4x4xf32") + "  %r = stablehlo.tanh %1 : tensor<4x4xf32>\n")
WRONG = of_device(PRODUCT + "  %1 = stablehlo.tanh %0 : tensor<4x4xf32>\n" + all_reduced("%r", "%1", "4x4xf32"))
"""The sum of the functions in place of the function of the sum."""

UNPROVED = of_device(
    PRODUCT
    + all_reduced("%1", "%0", "4x4xf32")
    + """  %2 = stablehlo.tanh %1 : tensor<4x4xf32>
  %3 = stablehlo.sign %2 : tensor<4x4xf32>
  %4 = stablehlo.abs %2 : tensor<4x4xf32>
  %r = stablehlo.multiply %3, %4 : tensor<4x4xf32>
"""
)
"""What is right, and not shown: a number is its sign times its magnitude."""
