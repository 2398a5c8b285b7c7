"""Write text or bytes to a file so that a failure leaves the file as it was."""

import errno
import os
import stat
from pathlib import Path


def write_file(path: Path, content: str | bytes) -> None:
    """
    Write text or bytes to `path`. A regular file gets all of the content or stays as it was, and keeps its mode.

    Links are followed. A device, a pipe, and anything else that is not a regular file is written to, not replaced; so
    is a file that is open as standard output or standard error, such as `/dev/stdout`.
    Raises `OSError` with `path` as its `filename`.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        status = _status(path)
        if status is not None and (stream := _standard_stream(status)) is not None:
            _write_all(stream, data)
        elif status is None or stat.S_ISREG(status.st_mode):
            target = Path(os.path.realpath(path))  # renaming onto a link would replace the link
            _replace(target, data, None if status is None else stat.S_IMODE(status.st_mode))
        else:
            descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
            try:
                _write_all(descriptor, data)
            finally:
                os.close(descriptor)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None  # name the file that the caller knows


def _status(file: Path | int) -> os.stat_result | None:
    """The status of the file behind `file`; None if it does not exist, or the descriptor is closed."""
    try:
        return os.stat(file)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.EBADF):
            return None
        raise


def _standard_stream(status: os.stat_result) -> int | None:
    """The descriptor of standard output or standard error, if it is open on the file with `status`."""
    for descriptor in (1, 2):
        if (open_file := _status(descriptor)) is not None and os.path.samestat(open_file, status):
            return descriptor
    return None


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    """Write a new file beside `target`, then rename it. `mode` is that of the existing file, if there is one."""
    if mode is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))  # renaming asks for the right to the folder only
    temporary = target.with_name(f".xshardy-{os.urandom(8).hex()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        try:
            _write_all(descriptor, data)
            if mode is not None:
                os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)  # some file systems find out here that the disk is full
        temporary.replace(target)
    except BaseException:  # Ctrl-C too
        temporary.unlink(missing_ok=True)
        raise


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
