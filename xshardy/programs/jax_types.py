"""The types of JAX that are used without importing it: its own are incomplete, or need it to be installed."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from xshardy.numerics.element_types import DType


class PyTreeDef(Protocol):
    """`jax.tree_util.PyTreeDef`: how values are nested."""

    num_leaves: int

    def unflatten(self, leaves: Iterable[object], /) -> Any: ...


class JaxArray(Protocol):
    """`jax.Array`, on one device or more."""

    shape: tuple[int, ...]
    dtype: "DType"
    nbytes: int

    def block_until_ready(self) -> "JaxArray": ...
    def unsafe_buffer_pointer(self) -> int: ...


class ExecuteResults(Protocol):
    """What an executable returns: arrays of one device each."""

    def disassemble_into_single_device_arrays(self) -> list[list[JaxArray]]: ...


class LoadedExecutable(Protocol):
    """`jaxlib`'s executable of XLA."""

    def execute_sharded(self, arguments: Sequence[object], /) -> ExecuteResults: ...
    def get_hlo_text(self) -> str: ...
    def cost_analysis(self) -> object: ...
    def get_compiled_memory_stats(self) -> object: ...


class Client(Protocol):
    """`jaxlib`'s connection to the devices of a platform."""

    def compile_and_load(self, module: str, devices: Sequence["Device"], options: object, /) -> LoadedExecutable: ...


class Device(Protocol):
    """`jax.Device`"""

    id: int
    process_index: int
    platform: str
    client: Client
