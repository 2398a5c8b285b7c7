# ruff: noqa: F821  (lit defines `config`)
"""How lit runs the tests of this folder: the tools are those installed beside the Python that runs lit."""

import os
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parents[1])]  # the checkout of these tests is what is tested

from in_process import InProcessTest  # noqa: E402

config.name = "xshardy"
config.test_format = InProcessTest()
config.test_source_root = str(FOLDER)
config.suffixes = [".mlir", ".hlo"]
config.excludes = ["Inputs"]
config.environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
config.environment["PYTHONPATH"] = str(FOLDER.parents[1])
