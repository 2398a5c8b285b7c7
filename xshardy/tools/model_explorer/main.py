# Model Explorer comes without types, and xshardy does not need it.
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false, reportUntypedBaseClass=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false
"""The adapter that Model Explorer imports: it opens programs with shardings, and shows what a plan says of them."""

from typing import Any

from dacite import from_dict  # a dependency of Model Explorer
from model_explorer import Adapter, AdapterMetadata, ModelExplorerGraphs
from model_explorer.graph_builder import GraphCollection

from xshardy.planning.plan import plan_program
from xshardy.tools.model_explorer.program_graph import program_graphs
from xshardy.tools.placed_diagnostics import imported_program
from xshardy.tools.source_file import read_source


class XshardyAdapter(Adapter):
    """A program of StableHLO or HLO, propagated and partitioned."""

    metadata = AdapterMetadata(
        id="xshardy",
        name="xshardy",
        description="Shardings, and what a device sends and holds",
        fileExts=["mlir", "mlirbc", "hlo", "txt", "pb"],
    )

    def convert(self, model_path: str, settings: dict[str, Any]) -> ModelExplorerGraphs:
        """The graphs of the program in a file. Raises what `plan_program` raises."""
        with imported_program(read_source(model_path)) as program:
            plan = plan_program(program)
            collection = program_graphs(plan.traced.sharded, "xshardy", plan)
        return {"graphCollections": [from_dict(GraphCollection, collection.as_json())]}
