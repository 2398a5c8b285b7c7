"""
The reference interpreter: StableHLO and HLO ops evaluated with numpy, with XLA's results for every element type.

`evaluate` is imported when it is first asked for: it needs the rules of all operations, and other modules here do not.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xshardy.interpreters.stablehlo.evaluator import evaluate

__all__ = ["evaluate"]


def __getattr__(name: str) -> Any:
    if name != "evaluate":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from xshardy.interpreters.stablehlo.evaluator import evaluate

    return evaluate
