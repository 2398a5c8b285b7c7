"""The xDSL entry point: every row names an existing object, and loading a row imports only that object's modules."""

import subprocess
import sys

import pytest
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target

from xshardy.universe import DIALECTS, EXTENSIONS, PASSES, TARGETS, XSHARDY_UNIVERSE, installed_dialects, new_context


@pytest.mark.parametrize("name", DIALECTS)
def test_dialects_are_there_and_load(name: str):
    dialect = XSHARDY_UNIVERSE.all_dialects[name]()
    assert isinstance(dialect, Dialect) and dialect.name == name
    Context().load_dialect(dialect)


@pytest.mark.parametrize("name", PASSES)
def test_passes_are_there_under_their_names(name: str):
    found = XSHARDY_UNIVERSE.all_passes[name]()
    assert issubclass(found, ModulePass) and found.name == name
    assert found.__doc__


@pytest.mark.parametrize("name", TARGETS)
def test_targets_are_registered_under_their_names(name: str):
    found = XSHARDY_UNIVERSE.all_targets[name]()
    assert issubclass(found, Target) and found.name == name


@pytest.mark.parametrize("name", EXTENSIONS)
@pytest.mark.parametrize("dialects", ["context", "xdsl-opt"])
def test_extensions_keep_xdsls_operations(name: str, dialects: str):
    installed = installed_dialects() if dialects == "context" else Universe.get_multiverse().all_dialects
    ours, xdsls = installed[name](), get_all_dialects()[name]()
    operations = [op.name for op in ours.operations]
    assert len(operations) == len(set(operations))
    assert {op.name for op in xdsls.operations} <= set(operations)
    assert set(xdsls.attributes) <= set(ours.attributes)


def test_a_new_context_has_every_dialect():
    assert set(DIALECTS) <= set(new_context().registered_dialect_names)


def test_importing_the_universe_imports_nothing_else_of_ours():
    code = (
        "import sys, xdsl.universe; before = set(sys.modules); import xshardy.universe;"
        "print(*sorted(name for name in set(sys.modules) - before if name.startswith('xshardy')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["xshardy", "xshardy.universe"]


def test_xdsl_opt_has_our_dialects_passes_and_targets():
    text = "func.func @f(%a: f32) -> f32 {\n  %b = xla_gpu.pure_call @g(%a) : (f32) -> f32\n  func.return %b : f32\n}\n"
    text += "func.func private @g(%a: f32) -> f32 {\n  func.return %a : f32\n}\n"
    code = "from xdsl.tools.xdsl_opt import main; main()"
    command = [sys.executable, "-c", code, "-p", "xla-gpu-convert-pure-call-ops"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert "func.call @g" in done.stdout
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    unwrapped = "".join(done.stdout.split())
    assert "llvm-ir,ptx" in unwrapped and "xla-gpu-codegen-pipeline" in unwrapped
