"""
`xshardy-opt`: `xdsl-opt` with upstream's text, upstream's error format, and HLO text as a frontend.

For every input, the output is a module or diagnostics. The exit status is 0 for success, 1 for an invalid input (or a
file that cannot be read or written), 2 for an invalid command line, 70 for a bug in a pass, 130 after Ctrl-C, 143 after
SIGTERM.
"""

import argparse
import io
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import cache
from inspect import signature
from pathlib import Path
from time import perf_counter
from typing import IO, Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    ParseError,
    PassFailedException,
    VerifyException,
)
from xdsl.utils.lexer import Input, Span
from xdsl.xdsl_opt_main import xDSLOptMain

from xshardy.affine.spelling import Spelling, spelled
from xshardy.dialects.discardable import verify
from xshardy.programs.errors import InputError
from xshardy.programs.source import ENCODING, is_hlo, is_mlir
from xshardy.rewriting.observer import RewriteObserver
from xshardy.syntax.bytecode import (
    is_bytecode,
    read_bytecode,
    version_of,
    write_artifact,
    write_bytecode,
)
from xshardy.syntax.diagnostics import at, origin_note, parse_error_text, verify_error_text
from xshardy.syntax.parser import Parser
from xshardy.syntax.pass_dumps import UnknownDumpError
from xshardy.syntax.printer import Printer
from xshardy.tools.input_chunks import Chunk, chunks_of, joined, listing
from xshardy.tools.opt_parser import adopt
from xshardy.tools.output import (
    discard_standard_output,
    print_diagnostic,
    printable,
    read_all,
    read_standard_input,
    run_command,
    write_mlir,
    write_text,
)
from xshardy.tools.pipelines import passes_of
from xshardy.tools.spec_options import with_options
from xshardy.tools.usage import WRONG_COMMAND_LINE, UsageError
from xshardy.transforms.failures import OperationFailedException, OperationWarning
from xshardy.transforms.pipeline_pass import IndexedPipeline
from xshardy.universe import installed_dialects, installed_passes, installed_targets

DIAGNOSED, INTERNAL_ERROR = 1, 70

RECURSION_LIMIT = 10_000
"""Python's default allows only some hundred nested regions."""


class XshardyOptMain(xDSLOptMain):
    """The tool. `execute` is its `run`, with an exit status."""

    def __init__(self, description: str = "", args: Sequence[str] | None = None, stdin: IO[bytes] | None = None):
        self._stdin = stdin
        self._spans: Callable[[], Mapping[Operation, Span]] = dict
        """The places of operations in the text, found when a message needs them."""
        self._running: str | None = None
        """The pass that is running."""
        self._recorder: RewriteObserver | None = None
        super().__init__(description, args)

    # Command line

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        adopt(arg_parser, self._readers, self.available_passes, self.available_targets)

    def register_all_dialects(self) -> None:
        for name, factory in installed_dialects().items():
            self.ctx.register_dialect(name, factory)

    def register_all_passes(self) -> None:
        self.available_passes |= installed_passes()

    def register_all_targets(self) -> None:
        self.available_targets |= installed_targets()

    def register_all_frontends(self) -> None:
        def parse_mlir(stream: IO[bytes]) -> ModuleOp:
            parser = Parser(self.ctx, self._decode(stream.read()), self.get_input_name())
            self._spans = cache(lambda: parser.spans)
            return parser.parse_module(not self.args.no_implicit_module)

        def parse_bytecode(stream: IO[bytes]) -> ModuleOp:
            self._spans = dict
            return read_bytecode(stream.read(), self.ctx)

        def parse_hlo_text(stream: IO[bytes]) -> ModuleOp:
            from xshardy.hlo_text import parse_hlo, read_hlo

            spans: dict[Operation, Span] = {}
            self._spans = lambda: spans
            read = read_hlo if parse_spec(self.args.target).name == "hlo" else parse_hlo
            text, verifies = self._decode(stream.read()), not self.args.disable_verify
            return read(text, self.get_input_name(), spans, verifies=verifies)

        def parse_hlo_proto(stream: IO[bytes]) -> ModuleOp:
            from xshardy.hlo_text.proto import hlo_text_of

            return parse_hlo_text(io.BytesIO(hlo_text_of(stream.read()).encode()))

        self._readers: Mapping[str, Callable[[IO[bytes]], ModuleOp]] = {
            "mlir": parse_mlir,
            "mlirbc": parse_bytecode,
            "log": parse_mlir,
            "hlo": parse_hlo_text,
            "txt": parse_hlo_text,  # XLA's dumps
            "pb": parse_hlo_proto,
        }
        self.available_frontends.update(self._readers)

    def setup_pipeline(self) -> None:
        try:
            passes = passes_of(self.args.passes, self.available_passes)
            if self.args.debug_patterns:
                from xshardy.tools.steps.debugging import check_name

                check_name(self.args.debug_patterns, passes)
        except ValueError as error:
            raise UsageError(str(error)) from error
        self.pipeline = IndexedPipeline(passes, self._between_passes)

    def _between_passes(self, before: ModulePass | None, module: ModuleOp, after: ModulePass | None) -> None:
        if self.args.time_passes and before is not None:
            print(f"Pass {before.name} took {perf_counter() - self._started} seconds", file=sys.stderr)
        if self._recorder is not None and before is not None:
            self._recorder.end_pass(before.name)
            self._running = None
        if not self.args.disable_verify:
            verify(module)
        if before is not None and after is not None and self.args.print_between_passes:
            print(f"// -----// IR after {before.name} //----- //\n{self._text(module)}")
        self._running = None if after is None else after.name
        self._started = perf_counter()

    # Input and output

    def get_input_stream(self) -> tuple[IO[bytes], str]:
        if self.args.input_file in (None, "-"):
            return self._stdin or io.BytesIO(read_standard_input()), "mlir"
        if self.args.input_file.rpartition(":")[0].endswith(".py"):
            from xshardy.tools.source_file import read_source

            return io.BytesIO(read_source(self.args.input_file).text.encode()), "mlir"
        return super().get_input_stream()

    def get_input_name(self) -> str:
        return "<stdin>" if self.args.input_file in (None, "-") else self.args.input_file

    def _decode(self, data: bytes) -> str:
        try:
            return data.decode(ENCODING)
        except UnicodeDecodeError as error:
            text = error.object.decode(errors="replace")
            byte, start = error.object[error.start], len(error.object[: error.start].decode(errors="replace"))
            span = Span(start, start + 1, Input(text, self.get_input_name()))
            raise ParseError(span, f"byte 0x{byte:02x} is not UTF-8: expected a text file") from error

    def _input(self) -> tuple[str, bytes]:
        """The frontend, and the input."""
        stream, extension = self.get_input_stream()
        with stream:
            data = read_all(stream)
        frontend = "mlirbc" if is_bytecode(data) else self.args.frontend or extension
        if self.args.frontend is None:
            text = data.decode(ENCODING, errors="replace")
            if frontend == "mlir" and is_hlo(text):
                frontend = "hlo"
            elif frontend in ("hlo", "txt") and is_mlir(text):
                frontend = "mlir"
        if frontend not in self._readers:
            known = ", ".join(f".{name}" for name in self._readers)
            raise UsageError(
                f"{self.get_input_name()}: unknown file extension '.{extension}': known are {known}; or give -f"
            )
        return frontend, data

    def _chunks(self, data: bytes) -> Sequence[Chunk]:
        try:
            return chunks_of(data, split=self.args.split_input_file, stage=self.args.stage)
        except UnknownDumpError as error:
            raise DiagnosticException(f"{self.get_input_name()}: {error}") from None

    def _check_target(self) -> None:
        """Raise `UsageError` if the target has no such options, or not these values, before any work is done."""
        spec = parse_spec(self.args.target)
        if not spec.parameters:
            return
        factory: Any = self.available_targets[spec.name]
        if signature(factory).parameters:
            raise UsageError(f"target '{spec.name}' takes no options")
        try:
            with_options("target", factory(), spec)
        except ValueError as error:
            raise UsageError(str(error)) from error

    def _check_artifact_version(self) -> None:
        """Raise `UsageError` for a version of StableHLO that is not known."""
        if self.args.emit_artifact is not None:
            try:
                version_of(self.args.emit_artifact)
            except ValueError as error:
                raise UsageError(str(error)) from None

    def _text(self, module: ModuleOp) -> str:
        is_mlir = parse_spec(self.args.target).name == "mlir"
        plain = not (self.args.xdsl_syntax or self.args.print_no_properties or self.args.syntax_highlight)
        if not (is_mlir and plain):
            try:
                return self.output_resulting_program(module)
            except NotImplementedError as error:
                raise DiagnosticException(f"target '{self.args.target}' does not take this module: {error}") from error
        printer = Printer(print_generic_format=self.args.print_op_generic, print_debuginfo=self.args.print_debuginfo)
        return printer.module_text(module, self.ctx.loaded_dialects)

    # Running

    def execute(self) -> int:
        """Run the tool. Writes the output (a file only completely) and diagnostics; returns the exit status."""
        sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))
        status = 0
        texts: list[str] = []
        self._check_target()
        self._check_artifact_version()
        frontend, data = self._input()
        if self.args.list_stages:
            write_text(self._output_path, listing(data))
            return 0
        chunks = [Chunk(data, 0)] if frontend == "mlirbc" else self._chunks(data)
        if self._emits_bytecode and len(chunks) != 1:
            raise DiagnosticException(
                "bytecode is that of one module: do not split the input, and choose one --stage of a log"
            )
        for chunk in chunks:
            with spelled(self.args.maps and Spelling(self.args.maps)):
                text, complaint, expected = self._process(frontend, chunk.data, chunk.lines_before)
            texts.append(text + (complaint if expected else ""))
            if complaint and not expected:
                sys.stderr.write(printable(complaint, keep="\n\t"))
                status = max(status, INTERNAL_ERROR if self._is_bug else DIAGNOSED)
        if status:
            return status
        if self._emits_bytecode:
            write_text(self._output_path, self._bytecode)
        else:
            is_plain = parse_spec(self.args.target).name == "mlir" and not self.args.syntax_highlight
            (write_mlir if is_plain else write_text)(self._output_path, joined(chunks, texts))
        return 0

    @property
    def _emits_bytecode(self) -> bool:
        return self.args.emit_bytecode or self.args.emit_artifact is not None

    def _written(self, module: ModuleOp) -> str:
        """The text of `module`; nothing if it is written as bytecode, which is kept."""
        if self.args.emit_artifact is not None:
            self._bytecode = write_artifact(module, self.args.emit_artifact)
        elif self.args.emit_bytecode:
            self._bytecode = write_bytecode(module)
        else:
            return self._text(module)
        return ""

    @property
    def _output_path(self) -> Path | None:
        return None if self.args.output_file in (None, "-") else Path(self.args.output_file)

    _is_bug = False
    _bytecode = b""

    def _process(self, frontend: str, data: bytes, line_offset: int) -> tuple[str, str, bool]:
        """The output for a chunk, its diagnostics, and whether the command line expects diagnostics of that kind."""
        module: ModuleOp | None = None
        self._is_bug, self._running = False, None
        try:
            module = self._readers[frontend](io.BytesIO(data))
            with self._warnings_shown(line_offset), self._patterns_shown(module):
                self.apply_passes(module)
            return self._written(module), "", False
        except ParseError as error:
            error.span = replace(error.span, line_offset=line_offset)
            expected = self.args.parsing_diagnostics or (
                self.args.verify_diagnostics and isinstance(error, VerifyException)
            )
            return "", parse_error_text(error), expected
        except RecursionError:
            return (
                "",
                f"{self.get_input_name()}: error: the input is nested too deeply\n",
                self.args.parsing_diagnostics,
            )
        except DiagnosticException as error:
            from xshardy.hlo_text.errors import HLOError  # slow to import, and only needed after errors

            if isinstance(error, HLOError):
                return "", f"{error.moved_down(line_offset)}\n", self.args.parsing_diagnostics
            return "", self._diagnostic_text(module, error, line_offset), self.args.verify_diagnostics
        except Exception as error:
            return "", self._unexpected_text(error), False

    def _diagnostic_text(self, module: ModuleOp | None, error: DiagnosticException, line_offset: int) -> str:
        name = self.get_input_name()
        if isinstance(error, VerifyException) and module is not None:
            spans = {op: replace(span, line_offset=line_offset) for op, span in self._spans().items()}
            return verify_error_text(module, error, spans, name)
        if isinstance(error, OperationFailedException):
            return self._text_at(error.operation, "error", str(error), line_offset)
        if isinstance(error, PassFailedException) and self._running is not None:
            return f"{name}: error: pass '{self._running}': {error}\n"
        return f"{name}: error: {error}\n"

    def _text_at(self, op: Operation, severity: str, message: str, line_offset: int) -> str:
        """`message` at the place of `op`; if a pass created `op`, at the nearest enclosing operation in the text."""
        spans = self._spans()
        around: Operation | None = op
        while around is not None and around not in spans:
            around = around.parent_op()
        if around is None:
            return f"{self.get_input_name()}: {severity}: {message}\n{origin_note(op)}"
        return at(replace(spans[around], line_offset=line_offset), severity, message) + origin_note(op)

    @contextmanager
    def _warnings_shown(self, line_offset: int) -> Generator[None]:
        """Print warnings of passes as diagnostics, and other warnings as Python does."""
        with warnings.catch_warnings():
            warnings.simplefilter("always", OperationWarning)
            show = warnings.showwarning

            def show_at_operation(message: Warning | str, *where: Any, **more: Any) -> None:
                if isinstance(message, OperationWarning):
                    sys.stderr.write(self._text_at(message.operation, "warning", str(message), line_offset))
                else:
                    show(message, *where, **more)

            warnings.showwarning = show_at_operation
            yield

    @contextmanager
    def _patterns_shown(self, module: ModuleOp) -> Generator[None]:
        """With --debug-patterns, print what patterns do."""
        if self.args.debug_patterns is None:
            yield
            return
        from xshardy.tools.steps.debugging import patterns_shown

        with patterns_shown(module, self.args.debug_patterns, lambda: self._running) as self._recorder:
            yield

    def _unexpected_text(self, error: Exception) -> str:
        self._is_bug = True
        where = f"pass '{self._running}'" if self._running else "reading the input"
        if os.environ.get("XSHARDY_TRACEBACK"):
            traceback.print_exception(error)
        return (
            f"{self.get_input_name()}: error: internal error in {where}: {type(error).__name__}: {error} "
            "(this is a bug; with XSHARDY_TRACEBACK=1 in the environment it shows where)\n"
        )


def _guarded(action: Callable[[], int]) -> int:
    """The exit status of `action`; errors of the command line and of files are a line on stderr."""
    try:
        return action()
    except (UsageError, ArgSpecParseError) as error:
        print_diagnostic(f"error: {error}")
        return WRONG_COMMAND_LINE
    except ParseError as error:
        sys.stderr.write(parse_error_text(error))
    except DiagnosticException as error:
        print_diagnostic(f"error: {error}")
    except InputError as error:
        print_diagnostic(str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        print_diagnostic(f"error: {error.filename}: {error.strerror}" if error.filename else f"error: {error}")
        discard_standard_output()  # it may be what cannot be written
    return DIAGNOSED


def run(args: Sequence[str], text: str) -> tuple[int, str, str]:
    """Run the tool on `text` in this process. Returns the exit status, stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    verify_attributes = Attribute.__post_init__  # xDSL replaces it permanently under --disable-verify
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = _guarded(lambda: XshardyOptMain(args=args, stdin=io.BytesIO(text.encode())).execute())
        except SystemExit as exit:
            status = exit.code if isinstance(exit.code, int) else 0
        finally:
            Attribute.__post_init__ = verify_attributes
    return status, out.getvalue(), err.getvalue()


def main(arguments: Sequence[str] | None = None, tool: type[XshardyOptMain] = XshardyOptMain) -> int:
    """The command `xshardy-opt`, or that of a subclass. Gives the exit status, as `xshardy.tools.cli.main` does."""
    description = "xDSL's optimizer driver with OpenXLA's dialects and text"
    return run_command(lambda: _guarded(lambda: tool(description, arguments).execute()))
