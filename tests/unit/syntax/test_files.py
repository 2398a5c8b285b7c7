"""Files that commands write: replaced whole or left alone; links followed; what is not a regular file is written to."""

import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from xshardy.syntax.files import write_file

OLD, NEW = "old\n", "new\n"


def test_a_new_file_has_the_mode_of_the_process(tmp_path: Path):
    file = tmp_path / "new"
    mask = os.umask(0o027)
    try:
        write_file(file, NEW)
    finally:
        os.umask(mask)
    assert file.read_text() == NEW
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [file]


def test_a_regular_file_is_replaced_and_keeps_its_mode(tmp_path: Path):
    file = tmp_path / "file"
    file.write_text(OLD)
    file.chmod(0o751)
    with file.open() as reader:
        write_file(file, NEW)
        assert reader.read() == OLD  # replaced, not written over
    assert file.read_text() == NEW
    assert stat.S_IMODE(file.stat().st_mode) == 0o751
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("exists", [True, False])
def test_links_are_followed(tmp_path: Path, exists: bool):
    folder = tmp_path / "folder"
    folder.mkdir()
    file, link, link_to_link = folder / "file", tmp_path / "link", tmp_path / "link_to_link"
    if exists:
        file.write_text(OLD)
    link.symlink_to("folder/file")
    link_to_link.symlink_to(link)
    write_file(link_to_link, NEW)
    assert file.read_text() == NEW
    assert link.is_symlink() and link_to_link.is_symlink()
    assert list(folder.iterdir()) == [file]


def test_a_pipe_is_written_to(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[str] = []
    reader = Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
    reader.start()
    write_file(pipe, NEW * 100_000)
    reader.join(timeout=60)
    assert found == [NEW * 100_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_character_device_is_written_to(tmp_path: Path):
    """The device is a terminal made for the test: an error here must not replace a device of the machine."""
    ours, theirs = os.openpty()
    try:
        device = Path(os.ttyname(theirs))
        link = tmp_path / "link"
        link.symlink_to(device)
        write_file(link, NEW)
        assert os.read(ours, 100) == b"new\r\n"
        assert stat.S_ISCHR(device.stat().st_mode)
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize("name", ["missing/file", "folder", "loop", "x" * 300])
def test_errors_name_the_file_that_was_asked_for(tmp_path: Path, name: str):
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError) as raised:
        write_file(tmp_path / name, NEW)
    assert raised.value.filename == str(tmp_path / name)
    assert {path.name for path in tmp_path.iterdir()} == {"folder", "loop"}


@pytest.mark.parametrize("output", ["pipe", "file"])
def test_standard_output_by_its_name_is_written_to(output: str, tmp_path: Path):
    program = "write_file(Path('/dev/stdout'), 'new\\n')"
    script = f"from pathlib import Path; from xshardy.syntax.files import write_file; {program}"
    command = [sys.executable, "-c", script]
    if output == "pipe":
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == NEW
        return
    with (tmp_path / "file").open("w") as file:
        file.write(OLD)
        file.flush()
        subprocess.run(command, stdout=file, check=True)
    assert (tmp_path / "file").read_text() == OLD + NEW


COMMANDS = {
    "xshardy-opt": "from xshardy.tools.entry import xshardy_opt; raise SystemExit(xshardy_opt())",
    "xshardy": "import sys; from xshardy.tools.entry import xshardy; sys.exit(xshardy())",
}

PROGRAM = "func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {\n  return %arg0 : tensor<8xf32>\n}\n"


def without_space(command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command that can write 16 bytes to a file, which stands for a disk that is full."""
    return subprocess.run(
        [sys.executable, "-c", COMMANDS[command], *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16)),
    )


@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize("command", ["xshardy-opt", "xshardy"])
def test_a_full_disk_leaves_the_old_file(command: str, exists: bool, tmp_path: Path):
    program, output = tmp_path / "program.mlir", tmp_path / "output"
    program.write_text(PROGRAM)
    if exists:
        output.write_text(OLD)
    done = without_space(command, *(["shard"] if command == "xshardy" else []), str(program), "-o", str(output))
    assert done.returncode == 1
    assert done.stderr == f"error: {output}: File too large\n"
    assert {path.name for path in tmp_path.iterdir()} == {"program.mlir", *(["output"] if exists else [])}
    assert not exists or output.read_text() == OLD


def test_a_full_disk_leaves_no_half_dump(tmp_path: Path):
    fusion = Path(__file__).parents[3] / "examples" / "gelu.hlo"
    done = without_space("xshardy", "emit", str(fusion), "--dump-dir", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == f"error: {tmp_path / '00-1-prepared.mlir'}: File too large\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "status", "line"), [(signal.SIGINT, 130, "interrupted\n"), (signal.SIGTERM, 143, "terminated\n")]
)
@pytest.mark.parametrize("command", ["xshardy-opt", "xshardy"])
def test_a_signal_while_writing_leaves_the_old_file(
    command: str, number: signal.Signals, status: int, line: str, tmp_path: Path
):
    """The signal arrives when half of the text is written."""
    program, output = tmp_path / "program.mlir", tmp_path / "output"
    program.write_text(PROGRAM)
    output.write_text(OLD)
    interrupted = """
import os, signal
import xshardy.syntax.files
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background may ignore it
def write_half(descriptor, data):
    os.write(descriptor, data[:10])
    os.kill(os.getpid(), NUMBER)
xshardy.syntax.files._write_all = write_half
"""
    arguments = [*(["shard"] if command == "xshardy" else []), str(program), "-o", str(output)]
    script = [sys.executable, "-c", f"NUMBER = {number:d}{interrupted}{COMMANDS[command]}", *arguments]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", line)
    assert {path.name for path in tmp_path.iterdir()} == {"program.mlir", "output"}
    assert output.read_text() == OLD


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no device that is always full")
@pytest.mark.parametrize("command", ["xshardy-opt", "xshardy"])
def test_standard_output_that_is_full_is_one_line(command: str, tmp_path: Path):
    program = tmp_path / "program.mlir"
    program.write_text(PROGRAM)
    arguments = [*(["shard"] if command == "xshardy" else []), str(program)]
    with open("/dev/full", "w") as full:
        script = [sys.executable, "-c", COMMANDS[command], *arguments]
        done = subprocess.run(script, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith("No space left on device\n")
    assert len(done.stderr.splitlines()) == 1 and "bug" not in done.stderr
