"""Graphs for Model Explorer: what it gets of programs and launch plans, also through its adapter."""

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from xshardy.tools.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples"

LOOP = """
sdy.mesh @mesh = <["x"=4]>
func.func private @layer(%a: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot %a, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc("jit(f)/Block_0/attn/dot")
  return %0 : tensor<8x8xf32>
}
func.func @main(%a: tensor<8x8xf32>, %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %c = %a) : tensor<i32>, tensor<8x8xf32>
  cond {
    %go = stablehlo.compare LT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %d = func.call @layer(%c, %w) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %i, %d : tensor<i32>, tensor<8x8xf32>
  }
  return %r#1 : tensor<8x8xf32>
}
"""


NUMBER = (int, float)

FIELDS: Mapping[str, Mapping[str, Any]] = {
    "GraphCollection": {"label": str, "graphs": ["Graph"]},
    "Graph": {"id": str, "nodes": ["GraphNode"]},
    "GraphNode": {
        "id": str,
        "label": str,
        "namespace": str,
        "attrs": ["KeyValue"],
        "incomingEdges": ["IncomingEdge"],
        "outputsMetadata": ["MetadataItem"],
    },
    "KeyValue": {"key": str, "value": str},
    "IncomingEdge": {"sourceNodeId": str, "sourceNodeOutputId": str, "targetNodeInputId": str},
    "MetadataItem": {"id": str, "attrs": ["KeyValue"]},
    "GraphNodeData": {"name": str, "results": {str: "NodeDataResult"}, "gradient": ["GradientItem"]},
    "NodeDataResult": {"value": (*NUMBER, str)},
    "GradientItem": {"stop": NUMBER, "bgColor": str},
}
"""
The fields that are written, of what `graph_builder.py` and `node_data_builder.py` of ai-edge-model-explorer 0.1.34
declare: a type, the names of other rows in a list or in a dictionary.
"""


def check_fields(data: Any, kind: Any) -> None:
    """Check that `data` is of a type, or has the fields of a row with values of their kinds."""
    match kind:
        case [inner]:
            assert isinstance(data, list)
            for each in data:
                check_fields(each, inner)
        case {**inner} if inner:
            assert data and all(isinstance(key, str) for key in data)
            for each in data.values():
                check_fields(each, inner[str])
        case str():
            assert data.keys() == FIELDS[kind].keys()
            for field, value in data.items():
                check_fields(value, FIELDS[kind][field])
        case _:
            assert isinstance(data, kind)


def nodes_of(graph: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The nodes by label: the last one of several."""
    return {node["label"]: node for node in graph["nodes"]}


def written(folder: Path, *command: str) -> dict[str, Any]:
    """The collection that a command writes."""
    assert main([*command, "--model-explorer", str(folder)]) == 0
    collection = json.loads((folder / "graph.json").read_text())
    check_fields(collection, "GraphCollection")
    for overlay in {*folder.glob("*.json")} - {folder / "graph.json"}:
        for data in json.loads(overlay.read_text()).values():
            check_fields(data, "GraphNodeData")
    for graph in collection["graphs"]:
        ids = [node["id"] for node in graph["nodes"]]
        assert len({*ids}) == len(ids)
        assert {edge["sourceNodeId"] for node in graph["nodes"] for edge in node["incomingEdges"]} <= {*ids}
    return collection


@pytest.fixture
def program(tmp_path: Path) -> str:
    (tmp_path / "loop.mlir").write_text(LOOP)
    return str(tmp_path / "loop.mlir")


def test_a_plan_is_graphs_with_overlays(program: str, tmp_path: Path):
    collection = written(tmp_path / "out", "plan", program)
    (graph,) = collection["graphs"]
    assert (collection["label"], graph["id"]) == (program, "main")
    nodes = nodes_of(graph)
    dot, end = nodes["dot"], nodes["return"]
    assert re.fullmatch(r"while \d+, region 1/layer \d+, region 0/.*Block_0/attn", dot["namespace"])
    assert end["incomingEdges"][-1]["sourceNodeOutputId"] == "1"  # %r#1
    attributes = {each["key"]: each["value"] for each in dot["attrs"]}
    assert "reduce-scatter" in attributes["sent"] and "reduces over a sharded dimension" in attributes["cause"]
    outputs = {each["key"]: each["value"] for each in dot["outputsMetadata"][0]["attrs"]}
    assert (outputs["name"], outputs["bytes of a device"]) == ("%0", "64")
    sent, causes, held = (
        json.loads((tmp_path / "out" / f"{name}.json").read_text())["main"] for name in ("sent", "causes", "bytes")
    )
    assert sent["results"] == {dot["id"]: {"value": 192}}
    assert sent["gradient"] and not causes["gradient"]
    assert causes["results"][dot["id"]]["value"].startswith("argument 1 (%w)")
    assert held["results"][dot["id"]] == {"value": 64}


def test_shardings_need_no_plan(tmp_path: Path):
    (graph,) = written(tmp_path, "shard", str(EXAMPLES / "mlp.mlir"))["graphs"]
    (w1,) = (node for node in graph["nodes"] if node["label"] == "%w1")
    shardings = json.loads((tmp_path / "shardings.json").read_text())[graph["id"]]["results"]
    assert shardings[w1["id"]] == {"value": '[{"model", ?}, {?}]'} and w1["namespace"] == "arguments"
    assert not (tmp_path / "sent.json").exists()


def test_a_launch_plan_is_a_graph_of_its_steps(tmp_path: Path):
    command = ("compile", str(EXAMPLES / "decode_loop.hlo"), "-o", str(tmp_path / "out"))
    (graph,) = written(tmp_path / "graph", *command)["graphs"]
    nodes = nodes_of(graph)
    assert nodes["cache.1"]["namespace"] == "loop"
    assert nodes["row"]["id"] in {edge["sourceNodeId"] for edge in nodes["cache.1"]["incomingEdges"]}
    moved = json.loads((tmp_path / "graph" / "bytes_moved.json").read_text())["main"]["results"]
    assert moved[nodes["row"]["id"]]["value"] >= 64 * 4


@dataclass
class Metadata:
    id: str
    name: str
    description: str
    fileExts: list[str]


def test_the_adapter_gives_the_graphs_of_a_file(program: str, monkeypatch: pytest.MonkeyPatch):
    """With what stands for the package: its conversion of dictionaries is that of `dacite`."""
    stubs = {name: ModuleType(name) for name in ("dacite", "model_explorer", "model_explorer.graph_builder")}
    vars(stubs["dacite"])["from_dict"] = lambda to, data: to(data)
    vars(stubs["model_explorer"]).update(Adapter=object, AdapterMetadata=Metadata, ModelExplorerGraphs=dict)
    vars(stubs["model_explorer.graph_builder"])["GraphCollection"] = dict
    for name, stub in stubs.items():
        monkeypatch.setitem(sys.modules, name, stub)
    monkeypatch.delitem(sys.modules, "xshardy.tools.model_explorer.main", raising=False)
    from xshardy.tools.model_explorer.main import XshardyAdapter

    assert "mlir" in XshardyAdapter.metadata.fileExts
    (collection,) = XshardyAdapter().convert(program, {})["graphCollections"]
    assert [graph["id"] for graph in collection["graphs"]] == ["main"]
    sys.modules.pop("xshardy.tools.model_explorer.main")
