"""The errors for names of operations, attributes and types that no dialect has. They say what may be meant."""

from collections.abc import Callable, Iterable, Sequence

from xdsl.context import Context
from xdsl.ir import Dialect

from xshardy.syntax.close_names import close_names, question_of

NamesOf = Callable[[Dialect], Iterable[str]]
"""The names of the operations, or the attributes and types, of a dialect: `sdy.mesh`."""


def unregistered_operation(name: str, context: Context, short: Sequence[str] = ()) -> str:
    """The error for operation `name`. Operations of the dialects `short` are also written without the dialect."""

    def names(dialect: Dialect) -> Iterable[str]:
        return (op.name for op in dialect.operations)

    if "." in name:
        close = _close_to(name, context, names)
    else:
        close = close_names(name, (each for dialect in short for each in _without_dialect(dialect, context, names)))
    dialect, _, rest = name.partition(".")
    if dialect == "mhlo" and rest in _without_dialect("stablehlo", context, names):
        return (
            f"operation '{name}' is not registered: it is stablehlo.{rest} today, and of MHLO only what StableHLO "
            'lacks is read: take the program as StableHLO, `compiler_ir("stablehlo")` of JAX, or convert it with '
            "`mlir-hlo-opt --hlo-legalize-to-stablehlo`"
        )
    return f"operation {_unregistered(name, close)}"


def unregistered_attribute(name: str, context: Context) -> str:
    """The error for an attribute or type `name`."""
    return _unregistered(name, _close_to(name, context, lambda dialect: (each.name for each in dialect.attributes)))


def _unregistered(name: str, close: Sequence[str]) -> str:
    return f"'{name}' is not registered: {question_of(close) or 'no dialect here has it'}"


def _close_to(name: str, context: Context, names: NamesOf) -> list[str]:
    """The names like `name` in its dialect; if there is no such dialect, in those whose names look like it."""
    dialect, _, rest = name.partition(".")
    known = [*context.registered_dialect_names]
    dialects = [dialect] if dialect in known else close_names(dialect, known)
    return [
        f"{each}.{close}" for each in dialects for close in close_names(rest, _without_dialect(each, context, names))
    ]


def _without_dialect(dialect: str, context: Context, names: NamesOf) -> Iterable[str]:
    """The names of a dialect, `mesh` for `sdy.mesh`. It is not loaded into `context`."""
    found = context.clone().get_optional_dialect(dialect)
    return () if found is None else (name.removeprefix(f"{dialect}.") for name in names(found))
