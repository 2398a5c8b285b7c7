"""
The files that Model Explorer opens: a collection of graphs, and overlays with a number or a text for each node.

Source: `graph_builder.py` and `node_data_builder.py` of ai-edge-model-explorer 0.1.34.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from xshardy.tools.output import write_text

GraphNode = dict[str, object]

GRADIENT = ({"stop": 0, "bgColor": "#ffffff"}, {"stop": 1, "bgColor": "#f4a582"})
"""The colours of the smallest and the largest number of an overlay."""


def node(
    id: str,
    label: str,
    namespace: Iterable[str],
    attributes: Mapping[str, object],
    sources: Iterable[tuple[str, int]] = (),
    *,
    outputs: Iterable[Mapping[str, object]] = (),
) -> GraphNode:
    """
    A node with an edge from each of `sources`, a node and the number of its output, inside of the boxes `namespace`.

    Selected, it shows its attributes and those of its outputs; empty ones are left out.
    """
    return {
        "id": id,
        "label": label,
        "namespace": "/".join(part.replace("/", "|") for part in namespace),
        "attrs": _key_values(attributes),
        "incomingEdges": [
            {"sourceNodeId": source, "sourceNodeOutputId": str(output), "targetNodeInputId": str(number)}
            for number, (source, output) in enumerate(sources)
        ],
        "outputsMetadata": [{"id": str(number), "attrs": _key_values(output)} for number, output in enumerate(outputs)],
    }


def _key_values(attributes: Mapping[str, object]) -> list[dict[str, str]]:
    return [{"key": key, "value": str(value)} for key, value in attributes.items() if value not in (None, "")]


@dataclass
class Collection:
    """Graphs of one program, with overlays."""

    label: str
    graphs: dict[str, list[GraphNode]] = field(default_factory=dict[str, list[GraphNode]])
    """The nodes of each graph."""
    overlays: dict[str, dict[str, dict[str, int | str]]] = field(
        default_factory=dict[str, dict[str, dict[str, int | str]]]
    )
    """By its name and graph, the values of nodes: numbers, or texts."""

    def lay_over(self, name: str, graph: str, id: str, value: int | str | None) -> None:
        """Give a node a value in the overlay `name`, unless it is empty."""
        if value:
            self.overlays.setdefault(name, {}).setdefault(graph, {})[id] = value

    def as_json(self) -> dict[str, object]:
        """The collection, without its overlays."""
        return {"label": self.label, "graphs": [{"id": id, "nodes": nodes} for id, nodes in self.graphs.items()]}


def write_collection(folder: Path, collection: Collection) -> None:
    """Write `graph.json` and a file for each overlay, `sent.json`, to `folder`, which is made. Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "graph.json", json.dumps(collection.as_json()) + "\n")
    for name, graphs in collection.overlays.items():
        data = {
            graph: {
                "name": name,
                "results": {id: {"value": value} for id, value in values.items()},
                "gradient": GRADIENT if all(isinstance(value, int) for value in values.values()) else (),
            }
            for graph, values in graphs.items()
        }
        write_text(folder / f"{name.replace(' ', '_')}.json", json.dumps(data) + "\n")
