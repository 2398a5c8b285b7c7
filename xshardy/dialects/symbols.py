"""The operations that others refer to by name."""

from weakref import WeakKeyDictionary, WeakValueDictionary

from xdsl.dialects import func
from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.ir import Operation
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import VerifyException

_symbols: WeakKeyDictionary[Operation, WeakValueDictionary[str, Operation]] = WeakKeyDictionary()
"""The last look-up results of each symbol table. An entry is verified against the operation before use."""


def find_symbol(op: Operation, symbol: SymbolRefAttr) -> Operation | None:
    """
    The operation that `symbol` names in the symbol table around `op`; None if there is none.

    `SymbolTable.lookup_symbol` reads the whole table each time, which is quadratic for many callers. Here a table is
    read again only if a cached entry is invalid.
    """
    table = op.parent_op()
    while table is not None and not table.has_trait(SymbolTable):
        table = table.parent_op()
    if table is None or not table.regions[0].blocks:
        return None
    name = symbol.string_value()
    symbols = _symbols.get(table)
    found = None if symbols is None else symbols.get(name)
    if found is None or found.parent_op() is not table or _name_of(found) != name:
        first_wins = reversed(table.regions[0].block.ops)
        named = ((_name_of(other), other) for other in first_wins)
        symbols = _symbols[table] = WeakValueDictionary({name: other for name, other in named if name is not None})
        found = symbols.get(name)
    return found


def _name_of(op: Operation) -> str | None:
    """The name that `op` defines."""
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else None


def find_function(op: Operation, callee: SymbolRefAttr) -> func.FuncOp | None:
    """The function that `callee` names in the symbol table around `op`; None if there is none."""
    found = find_symbol(op, callee)
    return found if isinstance(found, func.FuncOp) else None


def function_called(op: Operation, callee: SymbolRefAttr) -> func.FuncOp:
    """The function that `callee` names. Raises `VerifyException` if there is none."""
    function = find_function(op, callee)
    if function is None:
        raise VerifyException(f"callee {callee} is not a function of this module: define it, or name another")
    return function
