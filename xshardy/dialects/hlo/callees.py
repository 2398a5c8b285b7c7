"""The functions that operations call, by name."""

from weakref import WeakKeyDictionary, WeakValueDictionary

from xdsl.dialects import func
from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import VerifyException

_functions: WeakKeyDictionary[Operation, WeakValueDictionary[str, func.FuncOp]] = WeakKeyDictionary()
"""The last look-up results of each symbol table. An entry is verified against the function before use."""


def find_function(op: Operation, callee: SymbolRefAttr) -> func.FuncOp | None:
    """
    The function that `callee` names in the symbol table around `op`; None if there is none.

    `SymbolTable.lookup_symbol` reads the whole table each time, which is quadratic for many callers. Here a table is
    read again only if a cached entry is invalid.
    """
    table = op.parent_op()
    while table is not None and not table.has_trait(SymbolTable):
        table = table.parent_op()
    if table is None:
        return None
    name = callee.string_value()
    functions = _functions.get(table)
    found = None if functions is None else functions.get(name)
    if found is None or found.parent_op() is not table or found.sym_name.data != name:
        first_wins = reversed(table.regions[0].block.ops)
        functions = _functions[table] = WeakValueDictionary(
            {function.sym_name.data: function for function in first_wins if isinstance(function, func.FuncOp)}
        )
        found = functions.get(name)
    return found


def function_called(op: Operation, callee: SymbolRefAttr) -> func.FuncOp:
    """The function that `callee` names. Raises `VerifyException` if there is none."""
    function = find_function(op, callee)
    if function is None:
        raise VerifyException(f"callee {callee} is not a function of this module: define it, or name another")
    return function
