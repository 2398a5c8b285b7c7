"""Files of NVIDIA's toolkit, from the Python packages of the `cuda` extra."""

from importlib.util import find_spec
from pathlib import Path

from xdsl.utils.exceptions import DiagnosticException


class MissingCudaExtraError(DiagnosticException):
    """A file of the `cuda` extra is not installed."""


def find_cuda_file(relative: str, need: str) -> Path:
    """
    The file `relative` of an installed NVIDIA package, such as `nvvm/libdevice/libdevice.10.bc`.

    Raises `MissingCudaExtraError`, with `need` as the reason, if no installed package has it.
    """
    if (file := installed_file(relative)) is None:
        raise MissingCudaExtraError(f"{need}: install the 'cuda' extra with `pip install 'xshardy[cuda]'`")
    return file


def installed_file(relative: str) -> Path | None:
    """The file `relative` of the newest installed package that has it; None if none does."""
    spec = find_spec("nvidia")
    for root in () if spec is None else spec.submodule_search_locations or ():
        for toolkit in sorted(Path(root).glob("cu[0-9]*"), reverse=True):
            if (file := toolkit / relative).is_file():
                return file
    return None
