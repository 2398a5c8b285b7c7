"""
Names of SSA values as upstream gives them: `%c0` for what suggests a name, `%arg0` for block arguments, else a number.

The values of a region are named first, then those of the regions in it. Sibling regions number alike, since neither
sees the other's values. Names in the input are forgotten.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Operation, Region, SSAValue

Names = Sequence[str | None]
"""A name for each value in turn; None where there is none to suggest."""


class SuggestsNames:
    """Mixin for an operation that knows what its results, or the arguments of its regions, should be called."""

    def result_names(self) -> Names:
        """A result without a name of its own is a part of the pack of the named one before it: `%name:2`."""
        return ()

    def argument_names(self, region: Region) -> Names:
        """Names for the arguments of the first block of `region`."""
        return ()


def constant_names(op: Operation) -> Names:
    """`c1_i32` for an integer, `c1` for an index, `true` and `false` for i1, `cst` for all else."""
    value = op.properties.get("value")
    if not isinstance(value, IntegerAttr):
        return ("cst",)
    value = cast(IntegerAttr, value)
    if isinstance(value.type, IndexType):
        return (f"c{value.value.data}",)
    if value.type.width.data == 1:
        return ("true" if value.value.data else "false",)
    return (f"c{value.value.data}_{value.type}",)


def tensor_constant_names(op: Operation) -> Names:
    """`c` for a tensor of integers, `cst` for all else."""
    value = op.properties.get("value")
    if not isinstance(value, DenseIntOrFPElementsAttr):
        return ("cst",)
    element_type = cast(DenseIntOrFPElementsAttr, value).get_element_type()
    return ("c" if isinstance(element_type, IntegerType) else "cst",)


def dimension_names(stem: str) -> Callable[[Operation], Names]:
    """`STEM_x` for an operation with a dimension x."""

    def names(op: Operation) -> Names:
        return (f"{stem}_{getattr(op.properties.get('dimension'), 'data', '')}",)

    return names


SUGGESTIONS: Mapping[str, Names | Callable[[Operation], Names]] = {
    "arith.addui_extended": ("sum", "overflow"),
    "arith.constant": constant_names,
    "arith.mulsi_extended": ("low", "high"),
    "arith.mului_extended": ("low", "high"),
    "complex.constant": ("cst",),
    "func.constant": ("f",),
    "gpu.block_dim": dimension_names("block_dim"),
    "gpu.block_id": dimension_names("block_id"),
    "gpu.global_id": dimension_names("global_id"),
    "gpu.grid_dim": dimension_names("grid_dim"),
    "gpu.shuffle": ("shuffleResult", "valid"),
    "gpu.thread_id": dimension_names("thread_id"),
    "memref.alloc": ("alloc",),
    "memref.alloca": ("alloca",),
    "memref.cast": ("cast",),
    "memref.dim": ("dim",),
    "memref.subview": ("subview",),
    "stablehlo.constant": tensor_constant_names,
    "tensor.cast": ("cast",),
    "tensor.collapse_shape": ("collapsed",),
    "tensor.concat": ("concat",),
    "tensor.dim": ("dim",),
    "tensor.expand_shape": ("expanded",),
    "tensor.extract": ("extracted",),
    "tensor.extract_slice": ("extracted_slice",),
    "tensor.from_elements": ("from_elements",),
    "tensor.insert": ("inserted",),
    "tensor.insert_slice": ("inserted_slice",),
    "tensor.pad": ("padded",),
    "tensor.reshape": ("reshape",),
    "tensor.splat": ("splat",),
}
"""What operations that are not ours suggest for their results, by operation. Ours implement `SuggestsNames`."""

_UNSAFE = re.compile(r"[^A-Za-z0-9_$.-]")


@cache
def _may_suggest(op_type: type[Operation]) -> bool:
    return issubclass(op_type, SuggestsNames) or op_type.name in SUGGESTIONS


class ValueNames:
    """The names, with their `%`, of all values in an operation."""

    def __init__(self, root: Operation, suggestions: bool = True):
        self._suggestions = suggestions
        self._names: dict[SSAValue, str] = {}
        self._packs: dict[Operation, str] = {}
        self._next_value = self._next_argument = self._next_conflict = 0
        self._used: list[set[str]] = [set()]
        """Names in use, innermost region last."""
        self._name_results(root)
        pending = [(region, 0) for region in root.regions]
        counters = [(self._next_value, self._next_argument, self._next_conflict)] * len(pending)
        while pending:
            region, depth = pending.pop()
            self._next_value, self._next_argument, self._next_conflict = counters.pop()
            del self._used[depth + 1 :]
            self._used.append(set())
            inner = [(nested, depth + 1) for nested in self._name_region(region)]
            pending += inner
            counters += [(self._next_value, self._next_argument, self._next_conflict)] * len(inner)

    def of(self, value: SSAValue) -> str:
        """`%0`, or `%0#1` for a later result of a pack."""
        name = self._names.get(value)
        if name is None:  # defined outside the operation that is printed
            name = self._names[value] = f"%outside{len(self._names)}"
        return name

    def results(self, op: Operation) -> str:
        """What is left of the `=` of `op`: `%0`, `%0:2`, or `%a, %b:2`; empty without results."""
        return self._packs.get(op, "")

    def _name_region(self, region: Region) -> Sequence[Region]:
        """Name the values of `region`. Returns the regions of its operations, whose values are not named yet."""
        inner: list[Region] = []
        entry = region.blocks.first
        if entry is None:
            return inner
        parent = region.parent
        if self._suggestions and isinstance(parent, SuggestsNames):
            for argument, name in zip(entry.args, parent.argument_names(region), strict=False):
                if name is not None:
                    self._names[argument] = self._unique(name)
        for block in region.blocks:
            for argument in block.args:
                if argument not in self._names:
                    self._names[argument] = self._argument_name(block is entry)
            for op in block.ops:
                if op.results:
                    self._name_results(op)
                inner += op.regions
        return inner

    def _argument_name(self, of_entry: bool) -> str:
        if not of_entry:
            return self._number()
        self._next_argument += 1
        return self._unique(f"arg{self._next_argument - 1}")

    def _name_results(self, op: Operation) -> None:
        results = op.results
        names = self._suggested(op) if self._suggestions and _may_suggest(type(op)) else ()
        if len(results) == 1:
            name = self._unique(names[0]) if names and names[0] else self._number()
            (result,) = results
            self._names[result] = self._packs[op] = name
            return
        pack: list[tuple[str, int]] = []
        for index, result in enumerate(results):
            name = names[index] if index < len(names) else None
            if index == 0 or name is not None:
                pack.append((self._unique(name) if name is not None else self._number(), 0))
            name, size = pack[-1]
            pack[-1] = name, size + 1
            self._names[result] = f"{name}#{size}"
        for index, (name, size) in enumerate(pack):
            if size == 1:  # a pack of one is no pack
                first = sum(earlier for _, earlier in pack[:index])
                self._names[results[first]] = name
        if pack:
            self._packs[op] = ", ".join(name if size == 1 else f"{name}:{size}" for name, size in pack)

    def _suggested(self, op: Operation) -> Names:
        if isinstance(op, SuggestsNames):
            return op.result_names()
        names = SUGGESTIONS[op.name]
        return names(op) if callable(names) else names

    def _number(self) -> str:
        self._next_value += 1
        return f"%{self._next_value - 1}"

    def _unique(self, name: str) -> str:
        stem = name = _UNSAFE.sub("_", name)
        while any(name in used for used in self._used):
            name = f"{stem}_{self._next_conflict}"
            self._next_conflict += 1
        self._used[-1].add(name)
        return "%" + name
