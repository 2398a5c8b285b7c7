"""xDSL is the same before and after xshardy is imported and used: compared object by object, in a fresh process."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.processes

SNAPSHOT = '''
import importlib, inspect, pkgutil, sys, types
from xdsl.ir import Attribute, Operation

DIALECTS = (
    "arith", "builtin", "cf", "complex", "func", "gpu", "linalg", "llvm", "math", "memref", "scf", "tensor", "vector"
)
MODULES = (
    "xdsl.context", "xdsl.folder", "xdsl.ir.core", "xdsl.irdl.operations", "xdsl.irdl.attributes",
    "xdsl.irdl.constraints", "xdsl.irdl.declarative_assembly_format", "xdsl.parser.core",
    "xdsl.parser.attribute_parser", "xdsl.parser.base_parser", "xdsl.passes", "xdsl.pattern_rewriter", "xdsl.printer",
    "xdsl.rewriter", "xdsl.traits", "xdsl.utils.lexer", "xdsl.utils.mlir_lexer", "xdsl.xdsl_opt_main",
    "xdsl.transforms.canonicalize", "xdsl.transforms.common_subexpression_elimination",
    "xdsl.transforms.dead_code_elimination", "xdsl.transforms.loop_invariant_code_motion",
    *(f"xdsl.dialects.{name}" for name in DIALECTS),
)

def definition(op):
    """The definition that IRDL checks an operation by, as text: lists and constraints can be changed in place."""
    found = op.get_irdl_definition() if hasattr(op, "get_irdl_definition") else None
    return None if found is None else tuple((key, repr(value)) for key, value in vars(found).items() if key != "traits")

def snapshot():
    found, classes = {}, set()
    for name in MODULES:
        for key, value in vars(importlib.import_module(name)).items():
            if not key.startswith("__"):
                found[name, key] = value
            if inspect.isclass(value) and value.__module__.startswith("xdsl"):
                classes.add(value)
    for value in {base for value in classes for base in value.__mro__ if base.__module__.startswith("xdsl")}:
        for attribute, what in vars(value).items():
            if attribute not in CACHES:
                found[value, attribute] = what
    for value in classes:
        # Not `issubclass`: of an abstract class, it would ask each of its hundreds of subclasses, for each `value`.
        if Operation in value.__mro__ and isinstance(value.__dict__.get("name"), str):
            found[value, "the set of traits"] = frozenset(map(repr, value.traits.traits))
            found[value, "the definition"] = definition(value)
        elif Attribute in value.__mro__ and hasattr(value, "get_irdl_definition"):
            found[value, "the definition"] = repr(value.get_irdl_definition())
    return found

# Caches of Python and xDSL that fill up with use.
CACHES = {"__abstractmethods__", "_abc_impl", "__doc__", "__annotations__", "__static_attributes__"}

def differences(before, after):
    for key, value in before.items():
        if key not in after or (after[key] is not value and not equal(after[key], value)):
            yield key
    yield from after.keys() - before.keys()

def equal(a, b):
    return type(a) is type(b) and isinstance(a, (str, tuple, frozenset, int, type(None))) and a == b
'''

USE = """
import xshardy
from xshardy.universe import XSHARDY_UNIVERSE, load, new_context

context = new_context()
for name in tuple(context.registered_dialect_names):
    context.load_registered_dialect(name)
kernel = xshardy.compile('''
HloModule m
fused {
  p = f32[1024] parameter(0)
  c = f32[] constant(1)
  b = f32[1024] broadcast(c), dimensions={}
  ROOT a = f32[1024] add(p, b)
}
ENTRY e {
  p = f32[1024] parameter(0)
  ROOT f = f32[1024] fusion(p), kind=kLoop, calls=fused
}
''')
from xshardy.syntax import parse_module
from xshardy.dialects.discardable import verify
module = parse_module('''
sdy.mesh @mesh = <["x"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = arith.addf %a, %a : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
''')
verify(module)
load("transforms.sdy_propagation.propagation_pipeline:PropagationPipelinePass")().apply(context, module)
verify(module)
"""

IMPORT_EVERY_MODULE = """
import xshardy
for module in pkgutil.walk_packages(xshardy.__path__, "xshardy."):
    if module.name != "xshardy.tools.model_explorer.main":  # Model Explorer imports it, and is not installed
        importlib.import_module(module.name)
"""

BEFORE = """
snapshot()
before = snapshot()
assert not [*differences(before, snapshot())], "the snapshot is not stable"
"""

COMPARE = """
changed = sorted(map(str, differences(before, snapshot())))
assert not changed, changed
"""


def run(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_xdsl_stays_as_it_was_when_xshardy_is_used_and_when_every_module_is_imported():
    run(SNAPSHOT + BEFORE + USE + COMPARE + IMPORT_EVERY_MODULE + USE + COMPARE)


def test_the_snapshot_sees_a_change():
    for change in (
        "from xdsl.dialects import gpu; from xdsl.traits import Pure; gpu.ThreadIdOp.traits.add_trait(Pure())",
        "from xdsl.ir import Operation; Operation.verify = lambda self: None",
        "from xdsl.dialects import arith; arith.CmpiOp.get_irdl_definition().results.clear()",
    ):
        code = f"{SNAPSHOT}{BEFORE}{change}{COMPARE}"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert "AssertionError: [" in done.stderr, done.stderr


def test_only_the_entry_point_adds_to_the_dialects_of_xdsl():
    run(
        "import xdsl.universe; rows = dict(xdsl.universe.XDSL_UNIVERSE.all_dialects)\n"
        "import xshardy.universe; xshardy.universe.new_context()\n"
        "assert xdsl.universe.XDSL_UNIVERSE.all_dialects == rows\n"
        "from xshardy.universe import XSHARDY_UNIVERSE\n"
        "changed = {name for name, row in xdsl.universe.XDSL_UNIVERSE.all_dialects.items() if row is not rows[name]}\n"
        "assert changed == {'arith', 'gpu', 'llvm', 'math', 'scf', 'tensor', 'vector'}, changed\n"
    )
