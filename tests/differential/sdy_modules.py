"""Random modules for the passes of sdy: shardings, constraints, groups, meshes, loops, calls, manual computations."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import settings

MATRIX = "tensor<8x8xf32>"
"""The type of every value that operations are written on."""

AXES = ("a", "b", "one")
FUNCTIONS = ("negate", "twice", "constant")


def seeds(first: int = 0) -> range:
    """Of the random modules that a test compares: a fifth of the examples of a property, each as dear as five."""
    return range(first, first + settings.default.max_examples // 5)


@dataclass
class Writer:
    """The lines of a function, and the matrices that later lines can read."""

    choose: random.Random
    values: list[str]
    lines: list[str] = field(default_factory=list)

    def pick(self) -> str:
        return self.choose.choice(self.values)

    def fresh(self) -> str:
        return f"%v{len(self.lines)}"

    def emit(self, text: str) -> None:
        """`text` makes a matrix."""
        self.values.append(self.fresh())
        self.lines.append(f"{self.values[-1]} = {text}")

    def sharding(self, closed: bool | None = None) -> str:
        """A sharding of a matrix: closed, open, or as it comes."""
        if self.choose.random() < 0.1:
            return '<mesh<["x"=4]>, [{"x"}, {}]>'
        axes = self.choose.sample(AXES, len(AXES))
        dims: list[str] = []
        for _ in range(2):
            entries = [f'"{axes.pop()}"'] if self.choose.random() < 0.5 else []
            is_closed = self.choose.random() < 0.6 if closed is None else closed
            dims.append(f"{{{', '.join(entries if is_closed else [*entries, '?'])}}}")
        replicated = f', replicated={{"{axes.pop()}"}}' if self.choose.random() < 0.2 else ""
        return f"<@{self.choose.choice(('mesh', 'mesh', 'same'))}, [{', '.join(dims)}]{replicated}>"

    def note(self) -> str:
        """A sharding of a result, or none."""
        return f" {{sdy.sharding = #sdy.sharding_per_value<[{self.sharding()}]>}}" if self.choose.random() < 0.3 else ""


def write_negate(w: Writer) -> None:
    w.emit(f"stablehlo.negate {w.pick()}{w.note()} : {MATRIX}")


def write_add(w: Writer) -> None:
    w.emit(f"stablehlo.add {w.pick()}, {w.pick()}{w.note()} : {MATRIX}")


def write_constant(w: Writer) -> None:
    constant = w.choose.choice(("stablehlo.constant dense<1.0>", "stablehlo.iota dim = 0"))
    w.emit(f"{constant} : {MATRIX}")
    if w.choose.random() < 0.5:
        w.emit(f"stablehlo.add {w.values[-1]}, {w.values[-1]} : {MATRIX}")


def write_broadcast(w: Writer) -> None:
    scalar = w.fresh()
    w.lines.append(f"{scalar} = stablehlo.constant dense<2.0> : tensor<f32>")
    w.emit(f"stablehlo.broadcast_in_dim {scalar}, dims = [] : (tensor<f32>) -> {MATRIX}")


def write_constraint(w: Writer) -> None:
    w.emit(f"sdy.sharding_constraint {w.pick()} {w.sharding(w.choose.random() < 0.8)} : {MATRIX}")


def write_chain(w: Writer) -> None:
    w.emit(f"sdy.sharding_constraint {w.pick()} {w.sharding(True)} : {MATRIX}")
    w.emit(f"sdy.sharding_constraint {w.values.pop()} {w.sharding()} : {MATRIX}")


def write_group(w: Writer) -> None:
    w.lines.append(f"sdy.sharding_group {w.pick()} group_id={w.choose.randrange(6)} : {MATRIX}")


def write_call(w: Writer) -> None:
    w.emit(f"func.call @{w.choose.choice(FUNCTIONS)}({w.pick()}){w.note()} : ({MATRIX}) -> {MATRIX}")


def write_barrier(w: Writer) -> None:
    w.emit(f"stablehlo.optimization_barrier{w.note()} {w.pick()} : {MATRIX}")


def write_while(w: Writer) -> None:
    loop = w.fresh()
    w.lines.append(f"{loop}_p = stablehlo.constant dense<true> : tensor<i1>")
    w.emit(f"""stablehlo.while({loop}_x = {w.pick()}) : {MATRIX}
    cond {{
      %go = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %go : tensor<i1>
    }} do {{
      %next = stablehlo.add {loop}_x, {w.pick()} : {MATRIX}
      stablehlo.return %next : {MATRIX}
    }}""")


def write_manual_computation(w: Writer) -> None:
    dims, manual, local = w.choose.choice(
        (
            ('{"a"}, {}', '"a"', "4x8"),
            ('{"a", ?}, {?}', '"b", "a"', "4x8"),
            ('{}, {"b"}', '"one", "b"', "8x4"),
            ("{?}, {}", '"a"', "8x8"),
        )
    )
    sharding, inner, type = f"[<@mesh, [{dims}]>]", w.fresh(), f"tensor<{local}xf32>"
    shardings = f"in_shardings={sharding} out_shardings={sharding}"
    w.emit(f"""sdy.manual_computation({w.pick()}) {shardings} manual_axes={{{manual}}} ({inner}_x: {type}) {{
      {inner}_y = stablehlo.negate {inner}_x : {type}
      sdy.return {inner}_y : {type}
    }} : ({MATRIX}) -> {MATRIX}""")


def write_gather(w: Writer) -> None:
    name = w.fresh()
    numbers = "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1"
    w.lines.append(f"{name}_row = stablehlo.iota dim = {w.choose.randrange(2)} : tensor<8x1xi32>")
    w.lines.append(
        f"{name}_i = stablehlo.concatenate {name}_row, {name}_row, dim = 1 "
        ": (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>"
    )
    w.emit(
        f'"stablehlo.gather"({w.pick()}, {name}_i) <{{dimension_numbers = #stablehlo.gather<{numbers}>, '
        f"slice_sizes = array<i64: 1, 8>}}> : ({MATRIX}, tensor<8x2xi32>) -> {MATRIX}"
    )


WRITERS: tuple[Callable[[Writer], None], ...] = (
    write_negate,
    write_add,
    write_constant,
    write_broadcast,
    write_constraint,
    write_constraint,
    write_chain,
    write_group,
    write_call,
    write_barrier,
    write_while,
    write_manual_computation,
    write_gather,
)


def random_sdy_module(seed: int) -> str:
    """A main function of some 20 operations, three functions that it may call, and one that nothing calls."""
    choose = random.Random(seed)
    w = Writer(choose, ["%x", "%y"])
    for _ in range(20):
        choose.choice(WRITERS)(w)

    def sharded() -> str:
        note = f" {{sdy.sharding = #sdy.sharding{w.sharding()}}}" if choose.random() < 0.4 else ""
        return MATRIX + note

    body = "\n  ".join(w.lines)
    return f"""sdy.mesh @mesh = <["a"=2, "b"=2, "one"=1]>
sdy.mesh @same = <["a"=2, "b"=2, "one"=1]>
func.func @main(%x: {sharded()}, %y: {sharded()}) -> ({sharded()}) {{
  {body}
  return {w.values[-1]} : {MATRIX}
}}
func.func private @negate(%x: {sharded()}) -> ({sharded()}) {{
  %0 = stablehlo.negate %x : {MATRIX}
  return %0 : {MATRIX}
}}
func.func private @twice(%x: {sharded()}) -> ({sharded()}) {{
  %0 = func.call @negate(%x) : ({MATRIX}) -> {MATRIX}
  %1 = func.call @negate(%0) : ({MATRIX}) -> {MATRIX}
  return %1 : {MATRIX}
}}
func.func private @constant(%x: {sharded()}) -> ({sharded()}) {{
  %0 = stablehlo.constant dense<3.0> : {MATRIX}
  return %0 : {MATRIX}
}}
func.func private @unused(%x: {sharded()}) -> ({sharded()}) {{
  %0 = func.call @negate(%x) : ({MATRIX}) -> {MATRIX}
  return %0 : {MATRIX}
}}
"""
