"""Random programs with asynchronous operations, as text: chains that overlap, with updates, and work in between."""

from hypothesis.strategies import DrawFn, composite, integers, sampled_from

TYPE = "tensor<4xf32>"
BUNDLE = f"!hlo.async_bundle<({TYPE}) -> {TYPE}, tensor<ui32>>"
WRAPPED = f"""
func.func private @reverse(%x: {TYPE}) -> {TYPE} {{
  %0 = stablehlo.reverse %x, dims = [0] : {TYPE}
  func.return %0 : {TYPE}
}}
func.func private @copy(%x: {TYPE}) -> {TYPE} {{
  %0 = hlo.copy %x : {TYPE}
  func.return %0 : {TYPE}
}}
"""


@composite
def programs(draw: DrawFn, max_steps: int = 10, max_chains: int = 3) -> str:
    """A module with the function `@main` of two arguments, which returns three of its values."""
    values = ["%x", "%y"]
    in_flight: list[tuple[str, str]] = []
    lines: list[str] = []
    chains = 0
    for _ in range(draw(integers(1, max_steps))):
        name = f"%v{len(lines)}"
        kinds = ["negate", "add", "multiply"]
        kinds += ["async", "copy"] if chains < max_chains else []
        kinds += ["done"] + ["update"] * any(kind == "async" for kind, _ in in_flight) if in_flight else []
        kind = draw(sampled_from(kinds))
        match kind:
            case "negate":
                lines.append(f"{name} = stablehlo.negate {draw(sampled_from(values))} : {TYPE}")
            case "add" | "multiply":
                operands = ", ".join(draw(sampled_from(values)) for _ in range(2))
                lines.append(f"{name} = stablehlo.{kind} {operands} : {TYPE}")
            case "async" | "copy":
                chains += 1
                callee = "@reverse" if kind == "async" else "@copy"
                lines.append(f"{name} = hlo.{kind}_start {callee}({draw(sampled_from(values))}) : {BUNDLE}")
                in_flight.append((kind, name))
                continue
            case "update":
                chain = draw(sampled_from([chain for chain in in_flight if chain[0] == "async"]))
                in_flight[in_flight.index(chain)] = ("async", name)
                lines.append(f"{name} = hlo.async_update {chain[1]} : {BUNDLE}")
                continue
            case _:
                chain = draw(sampled_from(in_flight))
                in_flight.remove(chain)
                lines.append(f"{name} = hlo.{chain[0]}_done {chain[1]} : {BUNDLE}")
        values.append(name)
    for kind, bundle in in_flight:
        values.append(f"%v{len(lines)}")
        lines.append(f"{values[-1]} = hlo.{kind}_done {bundle} : {BUNDLE}")
    returned = [draw(sampled_from(values[-4:])) for _ in range(3)]
    body = "".join(f"  {line}\n" for line in lines)
    return (
        f"{WRAPPED}func.func @main(%x: {TYPE}, %y: {TYPE}) -> ({TYPE}, {TYPE}, {TYPE}) {{\n{body}"
        f"  func.return {', '.join(returned)} : {TYPE}, {TYPE}, {TYPE}\n}}\n"
    )
