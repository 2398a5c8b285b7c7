"""Random modules in which it matters which operation propagates first."""

import random

MATRIX = "tensor<8x8xf32>"
ARGUMENTS = 6


def permuting_call(choose: random.Random, operands: list[str]) -> str:
    """A custom call whose rule reads its operands as they are or transposed, so that axes come into conflict."""
    mappings = ", ".join(choose.choice(("[i, j]", "[j, i]")) for _ in operands)
    rule = f"#sdy.op_sharding_rule<({mappings})->([i, j]) {{i=8, j=8}}, custom>"
    types = ", ".join([MATRIX] * len(operands))
    return f"stablehlo.custom_call @f({', '.join(operands)}) {{sdy.sharding_rule = {rule}}} : ({types}) -> {MATRIX}"


def random_race(seed: int) -> str:
    """
    A module of one function that reads few values often, and whose shardings start late.

    A sharding then goes back to a value that several operations have read already, and they race for the dimensions of
    what else they read.
    """
    choose = random.Random(seed)
    lines: list[str] = []
    values = [f"%arg{index}" for index in range(ARGUMENTS)]
    for index in range(choose.randrange(6, 20)):
        operands = [choose.choice(values) for _ in range(choose.randrange(1, 4))]
        lines.append(f"  %v{index} = {permuting_call(choose, operands)}")
        values.append(f"%v{index}")
    read = [value for value in values if f"({value}" in "".join(lines) or f" {value}" in "".join(lines)]
    for index in range(choose.randrange(1, 4)):
        axes = choose.choice(('{"a", ?}, {?}', '{?}, {"b", ?}', '{"b", ?}, {"a", ?}', '{"a", ?}, {"b", ?}'))
        start = f"stablehlo.negate {choose.choice(read)}"
        lines.append(
            f"  %s{index} = {start} {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{axes}]>]>}} : {MATRIX}"
        )
    results = [line.split()[0] for line in lines]
    arguments = ", ".join(f"%arg{index}: {MATRIX}" for index in range(ARGUMENTS))
    types = ", ".join([MATRIX] * len(results))
    body = "\n".join(lines)
    return f"""sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main({arguments}) -> ({types}) {{
{body}
  func.return {", ".join(results)} : {types}
}}
"""
