"""The page of the Python API: what `import xshardy` has, by the docstrings."""

from collections.abc import Mapping, Sequence

import xshardy

SECTIONS: Mapping[str, Sequence[str]] = {
    "Modules": ("parse", "print_module", "verify", "run_passes", "location_of", "write_bytecode", "write_artifact"),
    "Shardings": ("propagate", "explain", "Explanation", "partition", "PartitionedProgram", "run", "ProgramRun"),
    "Plans": ("plan", "Plan", "advise"),
    "Kernels": ("read_hlo", "emit", "lower", "compile", "Kernel"),
}
"""The names under each heading; the rest of `xshardy.__all__` stands under `Others`."""

INTRODUCTION = """\
# Python API

`import xshardy` has these names. [Using the library](../api.md) shows each of them at work.
"""


def api_page() -> str:
    """The text of the page, in which mkdocstrings puts the signatures and docstrings."""
    named = {name for names in SECTIONS.values() for name in names}
    others = [name for name in xshardy.__all__ if name not in named]
    sections = {**SECTIONS, **({"Others": others} if others else {})}
    parts = [INTRODUCTION]
    for heading, names in sections.items():
        parts.append(f"## {heading}\n")
        parts += [f"::: {_home(name)}\n" for name in names]
    parts.append("## Assertions for tests\n\n::: xshardy.testing\n\n## Functions of JAX\n\n::: xshardy.jax.jit.jit\n")
    return "\n".join(parts)


def _home(name: str) -> str:
    """The module in which a name is defined, and the name."""
    return f"{getattr(xshardy, name).__module__}.{name}"
