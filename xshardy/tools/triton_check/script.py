"""A script of Triton, run as it is."""

import atexit
import gc
import runpy
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

from xshardy.programs.errors import InputError
from xshardy.tools.source_file import line_in
from xshardy.tools.triton_check.launches import TritonLaunch
from xshardy.tools.triton_check.without_gpu import without_gpu


def run_triton_script(file: str, target: str, launched: Callable[[TritonLaunch], None]) -> None:
    """
    Run a script as `python FILE` does, with `launched` in place of a GPU (`without_gpu`).

    Raises `InputError` without Triton or PyTorch, and for what the script raises.
    """
    path = Path(file)
    if not path.is_file():
        raise InputError(f"{file}: error: there is no such file")
    if missing := [name for name in ("triton", "torch") if find_spec(name) is None]:
        raise InputError(f"{file}: error: {missing[0]} is not installed: `pip install triton torch`, torch for the CPU")
    atexit.unregister(gc.freeze)  # at its end, Triton complains about cyclic garbage that is there
    with (
        patch.object(sys, "argv", [file]),
        patch.object(sys, "path", [str(path.parent.resolve()), *sys.path]),
        without_gpu(target, launched),
    ):
        try:
            runpy.run_path(file, run_name="__main__")
        except InputError:
            raise
        except SystemExit as error:
            if error.code:
                raise InputError(f"{file}:{line_in(path, error)} error: the script exits with {error.code}") from error
        except Exception as error:  # a script may raise anything
            what = f"{type(error).__name__}: {error}"
            raise InputError(f"{file}:{line_in(path, error)} error: {what}") from error
