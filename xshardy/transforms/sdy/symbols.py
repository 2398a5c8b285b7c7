"""Names for new symbols of a module."""

from xdsl.dialects.builtin import ModuleOp, StringAttr


class SymbolNames:
    """The names that the symbols of a module have. All that are made free share one count, as in upstream."""

    def __init__(self, module: ModuleOp):
        symbols = (op.properties.get("sym_name") for op in module.ops)
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
