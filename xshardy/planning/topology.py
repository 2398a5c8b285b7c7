"""What devices are linked by, and what they compute: built-in machines, and files that describe others."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import cast

from xdsl.utils.exceptions import DiagnosticException

from xshardy.syntax.close_names import did_you_mean


class TopologyError(DiagnosticException):
    """A topology that is unknown, or described wrongly."""


class UnknownTopologyError(TopologyError):
    """A name that is neither a built-in topology nor a file."""


class LinkKind(Enum):
    """How the devices along a mesh axis are linked."""

    RING = "ring"
    """Each with two neighbours, as a torus with wrap-around."""
    LINE = "line"
    """Each with two neighbours, but for the ends."""
    SWITCH = "switch"
    """Each with all others at full bandwidth."""
    TREE = "tree"
    """By a network whose reductions and gathers take a number of steps that is logarithmic."""


@dataclass(frozen=True, slots=True)
class Link:
    """What a device has along a mesh axis."""

    kind: LinkKind
    bandwidth: float
    """Bytes per second that it can send, to both neighbours together."""
    latency: float
    """Seconds of one step, in which a message goes to another device."""


EVERY_AXIS = "*"
"""The name of the link of mesh axes that have none of their own."""


@dataclass(frozen=True)
class Topology:
    """A machine."""

    name: str
    links: Mapping[str, Link]
    """By mesh axis; `*` for the others."""
    flops: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """The peak of matrix products per second and device, by element type such as `bf16`."""
    memory_bandwidth: float = 0
    """Bytes per second and device."""

    def link(self, axis: str) -> Link:
        """The link along mesh axis `axis`. Raises `TopologyError` if there is none."""
        link = self.links.get(axis, self.links.get(EVERY_AXIS))
        if link is None:
            raise TopologyError(
                f'topology {self.name} has no link for mesh axis "{axis}": add it to "links", or one named "*" for all'
            )
        return link

    def peak(self, element: str) -> float:
        """The peak for an element type; that of the slowest one that is listed if it is not."""
        return self.flops.get(element, min(self.flops.values(), default=0))


H100 = Topology(
    "h100x8",
    {EVERY_AXIS: Link(LinkKind.SWITCH, 370e9, 1e-6)},
    {"bf16": 989e12, "f16": 989e12, "f8": 1979e12, "i8": 1979e12, "f32": 494e12, "f64": 67e12},
    3.35e12,
)
"""
Eight H100 SXM on NVSwitch. Source: NVIDIA's data sheet, without sparsity, f32 as TF32; the bandwidth is what NCCL
reaches of 450 GB/s (nccl-tests, issue 212).
"""
V5E = Topology(
    "tpu-v5e-16",
    {EVERY_AXIS: Link(LinkKind.LINE, 90e9, 1e-6)},
    {"bf16": 197e12, "f32": 197e12, "i8": 394e12},
    819e9,
)
"""
A slice of 4 x 4 TPU v5e, whose axes do not wrap around. Source: Google Cloud's documentation of TPU v5e; f32 products
take bf16 passes.
"""
BUILT_IN: Mapping[str, Topology] = {topology.name: topology for topology in (H100, V5E)}


def topology_named(name: str) -> Topology:
    """A built-in topology, or that in the file `name`. Raises `TopologyError`, and `OSError` like `open`."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    path = Path(name)
    if path.suffix not in (".json", ".yaml", ".yml"):
        expected = f": expected {', '.join(BUILT_IN)}, or a .json or .yaml file"
        raise UnknownTopologyError(f'unknown topology "{name}"{did_you_mean(name, BUILT_IN, expected)}')
    return read_topology(path.read_text(), path)


def as_topology(topology: Topology | str) -> Topology:
    """`topology`, or the one of this name, as `topology_named`."""
    return topology_named(topology) if isinstance(topology, str) else topology


def read_topology(text: str, path: Path) -> Topology:
    """The topology in `text`, of the file `path`. Raises `TopologyError` that names what is wrong."""
    content = _content(text, path)
    if not isinstance(content, dict) or not isinstance(links := cast(dict[str, object], content).get("links"), dict):
        raise TopologyError(f'{path}: expected an object with "links", by mesh axis or "*"')
    known = {"name", "links", "flops", "memory_bandwidth"}
    if unknown := sorted(cast(dict[str, object], content).keys() - known):
        raise TopologyError(f'{path}: unknown entry "{unknown[0]}": expected {", ".join(sorted(known))}')
    fields = cast(dict[str, object], content)
    flops = fields.get("flops", {})
    if not isinstance(flops, dict):
        raise TopologyError(f'{path}: "flops" is the peak by element type, such as {{"bf16": 989e12}}')
    return Topology(
        str(fields.get("name", path.stem)),
        {str(axis): _link(link, f'{path}: link "{axis}"') for axis, link in cast(dict[str, object], links).items()},
        {str(name): _number(value, f'{path}: "flops"') for name, value in cast(dict[str, object], flops).items()},
        _number(fields.get("memory_bandwidth", 0), f'{path}: "memory_bandwidth"'),
    )


def _content(text: str, path: Path) -> object:
    if path.suffix == ".json":
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise TopologyError(f"{path}:{error.lineno}:{error.colno}: {error.msg}") from None
    try:
        import yaml
    except ImportError:
        raise TopologyError(f"{path}: to read YAML, run `pip install pyyaml`, or write JSON") from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise TopologyError(f"{path}: {error}") from None


def _link(link: object, place: str) -> Link:
    kinds = [kind.value for kind in LinkKind]
    if not isinstance(link, dict) or (fields := cast(dict[str, object], link)).get("kind") not in kinds:
        raise TopologyError(f'{place}: expected a "kind", one of {", ".join(kinds)}, a "bandwidth" and a "latency"')
    bandwidth, latency = (_number(fields.get(name), f'{place}: "{name}"') for name in ("bandwidth", "latency"))
    if not bandwidth:
        raise TopologyError(f'{place}: "bandwidth": expected more than 0 bytes per second')
    return Link(LinkKind(fields["kind"]), bandwidth, latency)


def _number(value: object, place: str) -> float:
    try:
        number = float(cast(float, value))  # YAML reads 5e-6 as text
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number < float("inf"):
        raise TopologyError(f"{place}: expected a number of at least 0, got {value!r}")
    return number
