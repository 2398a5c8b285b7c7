"""The dialect `hlo` has what its modules define, and the package exports it."""

from importlib import import_module
from pkgutil import iter_modules

from xdsl.ir import Attribute, Operation

from xshardy.dialects import hlo


def named_classes(kind: type) -> set[type]:
    """The classes of one kind with a name in the dialect, in all modules of the package."""
    modules = [import_module(f"{hlo.__name__}.{module.name}") for module in iter_modules(hlo.__path__)]
    values = [value for module in modules for value in vars(module).values() if isinstance(value, type)]
    return {value for value in values if issubclass(value, kind) and vars(value).get("name", "").startswith("hlo.")}


def test_the_dialect_has_all_operations_and_attributes():
    assert named_classes(Operation) == set(hlo.HLO.operations)
    assert named_classes(Attribute) == set(hlo.HLO.attributes)


def test_base_classes_are_not_operations_of_the_dialect():
    assert not {hlo.StartOp, hlo.DoneOp, hlo.AsyncOperation, hlo.ElementwiseOp} & set(hlo.HLO.operations)
