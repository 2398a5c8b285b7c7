"""The reference interpreter: StableHLO and HLO ops evaluated with numpy, with XLA's results for every element type."""

from xshardy.interpreters.stablehlo.evaluator import evaluate

__all__ = ["evaluate"]
