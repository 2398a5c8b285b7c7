"""A page for each dialect: its operations with syntax, constraints and an example, and its attributes."""

from collections.abc import Iterator
from inspect import cleandoc
from textwrap import wrap

from constraint_text import constraint_text
from filecheck_examples import ROOT, examples
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    OpDef,
    OptionalDef,
    VariadicDef,
)

from xshardy.universe import DIALECTS, load

ABOUT = {
    "check": "Assertions of executable tests, as Shardy and StableHLO write them.",
    "chlo": "Functions of client libraries, which broadcast implicitly or consist of several operations of StableHLO.",
    "hlo": "What HLO has and StableHLO lacks: fusions, asynchronous operations, opcodes of its own.",
    "interpreter": "Programs that start programs on a grid of devices.",
    "mhlo": "The operations of MHLO that JAX and XLA still write.",
    "nvvm": "The instructions of NVIDIA's GPUs that kernels use.",
    "quant": "Types of quantized numbers.",
    "rocdl": "The instructions of AMD's GPUs that kernels use.",
    "sdy": "Shardy: meshes, shardings, and operations on them.",
    "sparse_tensor": "The encoding of sparse tensors, so that types with it can be read.",
    "stablehlo": "StableHLO: the operations of portable tensor programs.",
    "xla_gpu": "Kernels of the XLA:GPU emitters: indexing maps, loops over them, shared memory, atomic updates.",
    "xtile": "Kernels of XLA that read tiles of buffers, compute with tensors, and write tiles.",
}
"""What each dialect is for."""

VARIABLES = "Parts of an operation whose constraints begin with the same name, such as `T`, have equal types."


def dialect_pages() -> dict[str, str]:
    """By its path below `docs/`, the text of each page."""
    pages = {f"reference/dialects/{name}.md": "\n".join(dialect_page(name)) for name in ABOUT}
    return {"reference/dialects/index.md": "\n".join(index()), **pages}


def index() -> Iterator[str]:
    """All dialects, with the number of their operations."""
    yield from ("# Dialects", "", "Generated from the code: constraints, formats and docstrings of the operations.", "")
    yield from ("| Dialect | For | Operations | Attributes and types |", "|---|---|---|---|")
    for name, about in ABOUT.items():
        dialect: Dialect = load(DIALECTS[name])
        counts = f"{len([*dialect.operations])} | {len([*dialect.attributes])}"
        yield f"| [`{name}`]({name}.md) | {about} | {counts} |"


def dialect_page(name: str) -> Iterator[str]:
    dialect: Dialect = load(DIALECTS[name])
    yield from (f"# Dialect `{name}`", "", ABOUT[name], "", VARIABLES)
    if operations := sorted(dialect.operations, key=lambda operation: operation.name):
        yield from ("", "## Operations")
        for operation in operations:
            yield from ("", *operation_entry(operation))
    if attributes := sorted(dialect.attributes, key=lambda attribute: attribute.name):
        yield from ("", "## Attributes and types")
        for attribute in attributes:
            yield from ("", *attribute_entry(attribute))


def operation_entry(operation: type[Operation]) -> Iterator[str]:
    yield from (f"### `{operation.name}`", "", documentation(operation))
    assert issubclass(operation, IRDLOperation)
    definition = operation.get_irdl_definition()
    if (example := examples().get(operation.name)) is not None:
        language = "mlir" if example.file.suffix == ".mlir" else "text"
        yield from ("", f'```{language} title="{example.file.relative_to(ROOT)}"', example.text, "```")
    if definition.assembly_format is not None:
        yield from ("", "Syntax:", "", "```text")
        yield from wrap(f"{operation.name} {' '.join(definition.assembly_format.split())}", 84, break_on_hyphens=False)
        yield "```"
    if rows := [*parts(definition)]:
        yield from ("", "| Part | | Constraint |", "|---|---|---|", *rows)
    if traits := sorted({type(trait).__name__ for trait in operation.traits.traits}):
        yield from ("", f"Traits: {', '.join(f'`{trait}`' for trait in traits)}.")


def documentation(definition: type) -> str:
    """The docstring of an operation or attribute, or that of the base class in xshardy that it has it from."""
    ours = (each for each in definition.__mro__ if each.__module__.startswith("xshardy.dialects"))
    return cleandoc(next((each.__doc__ for each in ours if each.__doc__), ""))


def parts(definition: OpDef) -> Iterator[str]:
    """A row of a table for each operand, result, property, region and successor."""
    for kind, values in (("operand", definition.operands), ("result", definition.results)):
        for name, value in values:
            yield row(name, kind, value, constraint_text(value.constr))
    for name, attribute in definition.properties.items():
        yield row(name, "property", attribute, constraint_text(attribute.constr))
    for name, region in definition.regions:
        yield row(name, "region", region, "")
    for name, successor in definition.successors:
        yield row(name, "successor", successor, "")


def row(name: str, kind: str, part: object, constraint: str) -> str:
    number = "optional " if isinstance(part, OptionalDef) else "variadic " if isinstance(part, VariadicDef) else ""
    return f"| `{name}` | {number}{kind} | {constraint.replace('|', chr(92) + '|')} |"


def attribute_entry(attribute: type[Attribute]) -> Iterator[str]:
    sigil = "!" if issubclass(attribute, TypeAttribute) else "#"
    yield from (f"### `{sigil}{attribute.name}`", "", documentation(attribute))
    if issubclass(attribute, EnumAttribute):
        yield f"One of {', '.join(f'`{each}`' for each in attribute.enum_type)}."
    if issubclass(attribute, ParametrizedAttribute):
        rows = [
            f"| `{name}` | {constraint_text(part.constr)} |"
            for name, part in attribute.get_irdl_definition().parameters
        ]
        if rows:
            yield from ("", "| Parameter | Constraint |", "|---|---|", *rows)
