"""Faults of kernels as SARIF 2.1.0, which code hosts and editors show beside the source."""

import json
from collections.abc import Iterable
from importlib.metadata import version

from xshardy.ptx.faults import Fault, FaultKind
from xshardy.tools.ptx_source import Place

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(faults: Iterable[tuple[Fault, Place]]) -> str:
    """The text of a log with a result for each fault and its place."""
    rules = [{"id": rule_of(kind), "shortDescription": {"text": kind.value}} for kind in FaultKind]
    driver = {"name": "xshardy ptx check", "version": version("xshardy"), "rules": rules}
    results = [_result(fault, place) for fault, place in faults]
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    return json.dumps(log, indent=2) + "\n"


def rule_of(kind: FaultKind) -> str:
    """The name of a kind of fault: `out-of-bounds`."""
    return kind.name.lower().replace("_", "-")


def _result(fault: Fault, place: Place) -> dict[str, object]:
    physical = {"artifactLocation": {"uri": place.file}, "region": {"startLine": place.line}}
    return {
        "ruleId": rule_of(fault.kind),
        "level": "error",
        "message": {"text": f"{fault.kind.value}: {fault.what}"},
        "locations": [{"physicalLocation": physical}],
    }
