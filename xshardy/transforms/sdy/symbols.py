"""Names for new symbols of a module, and references to symbols."""

from collections.abc import Container

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Operation

from xshardy.dialects.attribute_text import NONE_LISTED
from xshardy.ir import new_attribute


def reference_to(name: str) -> SymbolRefAttr:
    """`@name`, without verification: a module has many calls, and `SymbolRefAttr(name)` takes several times as long."""
    return new_attribute(SymbolRefAttr, StringAttr(name), NONE_LISTED)


class SymbolNames:
    """The names of the symbols of a module, without those `left_out`. All new names share one count, as in upstream."""

    def __init__(self, module: ModuleOp, left_out: Container[Operation] = ()):
        symbols = (op.properties.get("sym_name") for op in module.ops if op not in left_out)
        self._taken = {symbol.data for symbol in symbols if isinstance(symbol, StringAttr)}
        self._count = 0

    def fresh(self, name: str) -> str:
        """`name` if it is free, else the first free one of `name_0`, `name_1`, ... from the count on."""
        free = name
        while free in self._taken:
            free = f"{name}_{self._count}"
            self._count += 1
        self._taken.add(free)
        return free
