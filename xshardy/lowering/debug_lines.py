"""
Places of instructions for debuggers, as LLVM metadata: PTX has them as `.loc 1 LINE 0`.

Only the directives are made (`DebugDirectivesOnly`), no sections with debug information, and the instructions stay the
same. Source: LLVM language reference, "Specialized Metadata Nodes".
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from xdsl.ir import Operation

FIRST = 2_000_000
"""The number of the first metadata node here; all others are below it."""

HEAD = f"""\
!llvm.dbg.cu = !{{!{FIRST}}}
!llvm.module.flags = !{{!{FIRST + 2}}}
!{FIRST} = distinct !DICompileUnit(language: DW_LANG_C, file: !{FIRST + 1}, emissionKind: DebugDirectivesOnly)
!{FIRST + 1} = !DIFile(filename: "lines", directory: "")
!{FIRST + 2} = !{{i32 2, !"Debug Info Version", i32 3}}
!{FIRST + 3} = !DISubroutineType(types: !{{}})"""


@dataclass(slots=True)
class DebugLines:
    """Numbers the functions and the lines of a module while it is written."""

    line_of: Callable[[Operation], int]
    """The line of an operation; 0 if it has none."""
    _nodes: list[str] = field(default_factory=list[str])
    _places: dict[int, int] = field(default_factory=dict[int, int])
    """The node of each line in the current function."""
    _function: int = 0

    def function(self) -> str:
        """`!dbg !2000004`, behind the signature of the next function."""
        self._function = self._add(
            f'distinct !DISubprogram(name: "f", scope: !{FIRST + 1}, file: !{FIRST + 1}, type: !{FIRST + 3}, '
            f"spFlags: DISPFlagDefinition, unit: !{FIRST})"
        )
        self._places.clear()
        return f"!dbg !{self._function}"

    def of(self, op: Operation) -> str:
        """`, !dbg !2000005`, behind an instruction of the current function."""
        line = self.line_of(op)
        if line not in self._places:
            self._places[line] = self._add(f"!DILocation(line: {line}, scope: !{self._function})")
        return f", !dbg !{self._places[line]}"

    def _add(self, node: str) -> int:
        self._nodes.append(node)
        return FIRST + 3 + len(self._nodes)

    def metadata(self) -> Iterator[str]:
        """The nodes, behind all functions."""
        yield HEAD
        yield "\n".join(f"!{FIRST + 4 + number} = {node}" for number, node in enumerate(self._nodes))
