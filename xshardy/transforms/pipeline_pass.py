"""Passes that run other passes."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline


@dataclass(frozen=True)
class PipelinePass(ModulePass, ABC):
    """A pass that runs `passes`, in order, and has no patterns of its own."""

    no_patterns: ClassVar[str] = "a pipeline of other passes"

    @property
    @abstractmethod
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PassPipeline(self.passes).apply(ctx, op)
