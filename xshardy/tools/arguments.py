"""Types of arguments that commands share."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from xshardy.gpus.targets import target_of
from xshardy.tools.usage import UsageError

if TYPE_CHECKING:
    from xshardy.planning.topology import Topology


def natural(text: str) -> int:
    """An integer of at least 0."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"expected an integer of at least 0, got '{text}'")
    return number


def bound(text: str) -> float:
    """A number of at least 0, not NaN: nothing differs by more than NaN."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not number >= 0:
        raise argparse.ArgumentTypeError(f"expected a number of at least 0, got '{text}'")
    return number


def path(text: str) -> Path:
    """A path. An empty one would be the current folder, where a script forgot to set a variable."""
    if not text:
        raise argparse.ArgumentTypeError("expected a path, got an empty one")
    return Path(text)


def positive(text: str) -> int:
    """An integer of at least 1."""
    number = natural(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected an integer of at least 1, got '{text}'")
    return number


def target(text: str) -> str:
    """The name of a GPU that there is a target for."""
    try:
        target_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def mesh_axes(text: str) -> dict[str, int]:
    """`data=2,model=4`: the sizes of axes by their names."""
    from xshardy.programs.errors import EngineError  # slow to import, and only needed with the option
    from xshardy.programs.meshes import sizes_in

    try:
        return sizes_in(text)
    except EngineError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


class MeshOption(TypedDict):
    """What `add_argument` takes for `--mesh`."""

    type: Callable[[str], dict[str, int]]
    metavar: str
    help: str


def mesh_option(help: str = "give axes of the mesh of the program these sizes") -> MeshOption:
    """`--mesh AXIS=N,...`, for `add_argument`."""
    return MeshOption(type=mesh_axes, metavar="AXIS=N,...", help=help)


def byte_count(text: str) -> int:
    """`64GiB`: a number of bytes."""
    from xshardy.planning.byte_counts import bytes_in

    try:
        return bytes_in(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def argument_spec(text: str) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """`x=data,-,model+expert`: the name or number of an argument, and the mesh axes of each dimension."""
    name, equals, dims = text.rpartition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"expected an argument and its axes, such as x=data,-, got '{text}'")
    return name, tuple(() if dim in ("", "-") else tuple(dim.split("+")) for dim in dims.split(","))


def topology(name: str) -> "Topology":
    """The topology of an option. Raises `UsageError` for an unknown name, and `TopologyError` for a wrong file."""
    from xshardy.planning.topology import UnknownTopologyError, topology_named

    try:
        return topology_named(name)
    except UnknownTopologyError as error:
        raise UsageError(f"error: {error}") from None
