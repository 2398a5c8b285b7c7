# ruff: noqa: F821  (lit defines `config`)
"""How lit runs the tests of this folder: the tools are those installed beside the Python that runs lit."""

import os
import sys
from pathlib import Path

import lit.formats

config.name = "xshardy"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)
config.suffixes = [".mlir", ".hlo"]
config.excludes = ["Inputs"]
config.environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
# The checkout of these tests is what is tested, also where another one is installed.
config.environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
