"""
The text of a fusion without its surroundings: what a kernel is made from, equal for equal fusions.

Names of values and functions, metadata and other attributes that no emitter reads are left out.
"""

from collections.abc import Iterator, Mapping

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, SymbolRefAttr, UnregisteredAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.utils.hints import isa

from xshardy.dialects.hlo import FusionKind, FusionOp
from xshardy.emitters.applied_computations import APPLIED
from xshardy.hlo_text.annotations import ANNOTATIONS
from xshardy.hlo_text.names import NAME, POSITIONS
from xshardy.hlo_text.tuples import ROOT
from xshardy.ir import clone_operation
from xshardy.rewriting.walk import operations_from
from xshardy.syntax import print_module
from xshardy.transforms.call_graph import symbols_in

IGNORED = frozenset({APPLIED, NAME, POSITIONS, ROOT, *(annotation.attribute for annotation in ANNOTATIONS.values())})
"""Attributes that do not concern what a fused computation computes."""


def fusion_text(fusion: FusionOp, functions: Mapping[str, FuncOp]) -> str:
    """
    A module with an entry that executes `fusion` as a loop fusion, and the functions that it needs: `@f0`, ...

    `functions` are those of the module around `fusion`.
    """
    functions = called_functions(fusion, functions)
    names = {name: f"f{number}" for number, name in enumerate(functions)}
    copies = [_anonymous(function, names) for function in functions.values()]
    computation = copies[0]
    block = Block(arg_types=computation.function_type.inputs)
    call = FusionOp(FusionKind.LOOP, computation.sym_name.data, block.args, fusion.result_types)
    block.add_ops([call, ReturnOp(*call.outputs)])
    entry = FuncOp("main", computation.function_type, Region(block))
    return print_module(ModuleOp([*copies, entry]))


def called_functions(fusion: FusionOp, functions: Mapping[str, FuncOp]) -> Mapping[str, FuncOp]:
    """Those of `functions` that `fusion` needs, as they are first referred to: the fused computation first."""
    found: dict[str, FuncOp] = {}
    pending = [fusion.callee.root_reference.data]
    while pending:
        name = pending.pop(0)
        if name not in found and name in functions:
            found[name] = functions[name]
            pending += (called for op in operations_from(found[name]) for called in _references(op))
    return found


def _references(op: Operation) -> Iterator[str]:
    for attributes in (op.properties, op.attributes):
        for name, value in attributes.items():
            if name not in IGNORED:
                yield from symbols_in(value)


def _anonymous(function: FuncOp, names: Mapping[str, str]) -> FuncOp:
    """A private copy of `function` with the functions it refers to, and itself, renamed."""
    copy = clone_operation(function)
    for op in operations_from(copy):
        op.attributes = _kept(op.attributes, names)
        op.properties = _kept(op.properties, names)
    copy.sym_name = StringAttr(names[function.sym_name.data])
    copy.sym_visibility = StringAttr("private")
    return copy


def _kept(attributes: Mapping[str, Attribute], names: Mapping[str, str]) -> dict[str, Attribute]:
    """`attributes` without those that are ignored, or of unknown dialects."""
    kept = {k: a for k, a in attributes.items() if k not in IGNORED and not isinstance(a, UnregisteredAttr)}
    return {name: _renamed(value, names) for name, value in kept.items()}


def _renamed(attribute: Attribute, names: Mapping[str, str]) -> Attribute:
    """`attribute` with other names for functions."""
    if isinstance(attribute, SymbolRefAttr):
        name = attribute.root_reference.data
        return SymbolRefAttr(names.get(name, name), attribute.nested_references.data)
    if isinstance(attribute, DictionaryAttr):
        return DictionaryAttr(_kept(attribute.data, names))
    if isa(attribute, ArrayAttr[Attribute]):
        return ArrayAttr(_renamed(element, names) for element in attribute.data)
    return attribute
