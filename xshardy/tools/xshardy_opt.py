"""`xshardy-opt`: `xdsl-opt` with upstream's text, upstream's error format, and HLO text as a frontend."""

import sys
from collections.abc import Sequence
from typing import IO

from xdsl.dialects.builtin import ModuleOp
from xdsl.xdsl_opt_main import xDSLOptMain


class XshardyOptMain(xDSLOptMain):
    """The tool: xDSL's, with its frontends and its driver loop replaced."""

    def register_all_frontends(self) -> None:
        super().register_all_frontends()

        def parse_hlo_text(io: IO[bytes]) -> ModuleOp:
            from xshardy.hlo_text import parse_hlo

            return parse_hlo(io.read().decode(), self.get_input_name())

        self.available_frontends["hlo"] = parse_hlo_text


def run(args: Sequence[str], text: str) -> tuple[int, str, str]:
    """Run the tool on `text` in this process. Gives the exit status and what it wrote to stdout and stderr."""
    import io
    import traceback
    from contextlib import redirect_stderr, redirect_stdout

    from xdsl.utils.exceptions import DiagnosticException, ParseError

    out, err = io.StringIO(), io.StringIO()
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(text.encode()))
    code = 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            XshardyOptMain(args=list(args)).run()
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
    except (ParseError, DiagnosticException, ValueError) as error:
        err.write("".join(traceback.format_exception_only(error)))
        code = 1
    finally:
        sys.stdin = stdin
    return code, out.getvalue(), err.getvalue()


def main() -> None:
    """The command `xshardy-opt`."""
    XshardyOptMain(description="xDSL's optimizer driver with OpenXLA's dialects and upstream's text").run()
