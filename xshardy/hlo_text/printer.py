"""Modules of StableHLO and `hlo` operations as HLO text, which XLA reads: the inverse of `parser.read_hlo`."""

from collections.abc import Iterator, Mapping
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i1
from xdsl.ir import Attribute

from xshardy.dialects.hlo.async_operation import StartOp
from xshardy.hlo_text.annotations import MODULE_ANNOTATIONS, text_of, write_annotations
from xshardy.hlo_text.computation_printer import (
    ComputationPrinter,
    Style,
    name_unlike_types,
    valid_name,
)
from xshardy.hlo_text.errors import HLOPrintError
from xshardy.hlo_text.strings import quote
from xshardy.hlo_text.tables import TABLES, write_tables
from xshardy.hlo_text.write_values import ShapeWriter
from xshardy.rewriting.walk import operations_from, operations_of

QUOTED = frozenset({"execution_thread"})
"""Attributes of modules and computations that are strings in quotes."""

OWN_ATTRIBUTES = frozenset({"hlo.parameter_positions", *TABLES.values()})
"""Attributes that are printed elsewhere."""


def print_hlo(module: ModuleOp, *, uses_sugar: bool = True, flat_async: bool = False) -> str:
    """
    `module` as HLO text, with the original names. `uses_sugar` and `flat_async` are described at `Style`.

    Raises `HLOPrintError` if HLO cannot represent the module, or only after `hlo-to-opcodes`.
    """
    return "".join(ModulePrinter(module, Style(uses_sugar, flat_async)).write())


EXPORT_SHARDINGS = ": run xla-sdy-round-trip-export-pipeline first, which keeps meshes and shardings in attributes"


class ModulePrinter:
    """Prints one module."""

    def __init__(self, module: ModuleOp, style: Style):
        self.module = module
        self.style = style
        self.shapes = ShapeWriter()
        self.functions: dict[str, func.FuncOp] = {}
        for op in module.ops:
            if not isinstance(op, func.FuncOp):
                remedy = EXPORT_SHARDINGS if op.dialect_name() == "sdy" else ""
                raise HLOPrintError(f"HLO has no '{op.name}' at the top of a module{remedy}")
            self.functions[op.sym_name.data] = op
        self.names = computation_names(self.functions)
        self.entry = self.find_entry()

    def find_entry(self) -> func.FuncOp | None:
        """
        The public function; of several, `@main`, or the one that is not called. None if there is none.

        A function with the body of a manual computation is public, as in XLA.
        """
        private = StringAttr("private")
        public = [function for function in self.functions.values() if function.sym_visibility != private]
        if len(public) <= 1:
            return public[0] if public else None
        if (main := self.functions.get("main")) in public:
            return main
        called = {call.callee.string_value() for call in operations_of(self.module, func.CallOp)}
        not_called = [function for function in public if function.sym_name.data not in called]
        if len(not_called) == 1:
            return not_called[0]
        raise HLOPrintError(f"an HLO module has one entry, this one has {len(public)} public functions: make one @main")

    def write(self) -> Iterator[str]:
        """The text, in pieces."""
        if (symbol := self.module.sym_name) is not None:
            name = symbol.data
        else:  # XLA's default name
            name = "module" if self.entry is None else f"module_{self.entry.sym_name.data}"
        yield f"HloModule {name_unlike_types(name)}"
        yield from (f", {text}" for text in attribute_texts(self.module.attributes))
        yield from (f", {text}" for text in write_annotations(self.module.attributes, MODULE_ANNOTATIONS))
        yield "\n"
        yield from (f"{line}\n" for line in write_tables(self.module.attributes))
        for function in self.in_order():
            yield from function

    def in_order(self) -> Iterator[Iterator[str]]:
        """The text of each computation, callees before callers, otherwise in module order."""
        done: dict[str, bool] = {}
        for start in self.roots():
            pending: list[tuple[str, ComputationPrinter | None]] = [(start, None)]
            while pending:
                name, printed = pending.pop()
                if printed is not None:
                    done[name] = True
                    yield self.computation_text(printed)
                    continue
                if name in done:
                    if not done[name]:
                        raise HLOPrintError(f"HLO has no recursion, but @{name} calls itself, perhaps through others")
                    continue
                if (function := self.functions.get(name)) is None or not function.body.blocks:
                    raise HLOPrintError(f"computation @{name} is called, but not defined")
                printer = ComputationPrinter(function, self.shapes, self.names, self.style)
                printer.run()
                done[name] = False
                pending.append((name, printer))
                pending += [(callee, None) for callee in reversed(printer.callees) if not done.get(callee)]

    def roots(self) -> list[str]:
        """The functions to print: all except those used by asynchronous operations only."""
        wrapped = {op.callee.string_value() for op in operations_from(self.module) if isinstance(op, StartOp)}
        return [name for name in self.functions if name not in wrapped]

    def computation_text(self, printer: ComputationPrinter) -> Iterator[str]:
        """`ENTRY %name (p: f32[2]) -> f32[2] { ... }`"""
        function = printer.function
        prefix = "ENTRY " if function is self.entry else ""
        yield f"\n{prefix}%{self.names[function.sym_name.data]} {{\n"
        yield "\n".join(printer.lines)
        yield "\n}"
        yield from (f", {text}" for text in attribute_texts(function.attributes))
        yield "\n"


def computation_names(functions: Mapping[str, func.FuncOp]) -> dict[str, str]:
    """The names of the functions in HLO text: valid and unique."""
    taken: set[str] = set()
    names: dict[str, str] = {}
    for name in functions:
        candidate = base = valid_name(name)
        number = 0
        while candidate in taken:
            candidate, number = f"{base}.{number}", number + 1
        taken.add(candidate)
        names[name] = candidate
    return names


def attribute_texts(attributes: Mapping[str, Attribute]) -> list[str]:
    """`key=value` of each attribute of a module or a computation that HLO text has."""
    return [
        f"{name.removeprefix('hlo.')}={attribute_text(name.removeprefix('hlo.'), value)}"
        for name, value in attributes.items()
        if name.startswith("hlo.") and name not in OWN_ATTRIBUTES
    ]


def attribute_text(key: str, value: Attribute) -> str:
    """The inverse of `parser.module_attribute`."""
    if isinstance(value, IntegerAttr) and (integer := cast(IntegerAttr, value)).type == i1:
        return "true" if integer.value.data else "false"
    text = text_of(cast(Attribute, value))
    return quote(text) if key in QUOTED else text
