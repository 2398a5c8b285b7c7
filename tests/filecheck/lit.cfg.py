# ruff: noqa: F821  (lit defines `config`)
"""How lit runs the tests of this folder: the tools are those installed beside the Python that runs lit."""

import os
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
for folder in (FOLDER.parents[1], FOLDER):  # the checkout of these tests is what is tested
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from in_process import EXCLUDED, SUFFIXES, InProcessTest  # noqa: E402

config.name = "xshardy"
config.test_format = InProcessTest()
config.test_source_root = str(FOLDER)
config.suffixes = [*SUFFIXES]
config.excludes = [EXCLUDED]
config.environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
config.environment["PYTHONPATH"] = str(FOLDER.parents[1])
os.environ["XSHARDY_MAPS"] = config.environment["XSHARDY_MAPS"] = "affine"  # as tests/conftest.py has it
