"""
OpenXLA's Shardy and the XLA:GPU emitters as an xDSL dialect framework.

`xshardy.compile(hlo_text, target="sm_90")` takes an HLO fusion to PTX; `xshardy.emit` and `xshardy.lower` stop on the
way.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xshardy.compiler import compile, emit, lower

__all__ = ["compile", "emit", "lower"]


def __getattr__(name: str) -> Any:
    # Imported on first use: `xdsl-opt` loads this package for its entry point, and must not pay for the compiler.
    if name in __all__:
        from xshardy import compiler

        return getattr(compiler, name)
    raise AttributeError(f"module 'xshardy' has no attribute {name!r}")
