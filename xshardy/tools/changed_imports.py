"""Imports of Python files with changed texts in place of their own."""

import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from xshardy.syntax.locations.names import is_users_file


class ProjectFiles:
    """The Python files of the user in some folders, and below; those of libraries are not among them."""

    def __init__(self, folders: Sequence[Path]):
        self._folders = [folder.resolve() for folder in folders]

    def __contains__(self, file: str | None) -> bool:
        if file is None or not file.endswith(".py") or not is_users_file(file):
            return False
        path = Path(file).resolve()
        return any(path.is_relative_to(folder) for folder in self._folders) and path.is_file()


@contextmanager
def changed_imports(project: ProjectFiles, texts: Mapping[Path, str]) -> Generator[None]:
    """
    Within this context, files of `project` are imported anew, and `texts`, by resolved path, replace those of files.

    After it, the modules of the project are those that were imported before.
    """
    finder, before = _ChangedFiles(texts), _modules_of(project)
    _forget(before)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        _forget(_modules_of(project))
        sys.modules.update(before)


def _modules_of(project: ProjectFiles) -> Mapping[str, ModuleType]:
    """The modules of the files of `project` that are imported, without the script that runs."""
    imported = [(name, module) for name, module in sys.modules.items() if name != "__main__"]
    return {name: module for name, module in imported if getattr(module, "__file__", None) in project}


def _forget(modules: Mapping[str, ModuleType]) -> None:
    for name in modules:
        del sys.modules[name]


class _ChangedFiles(MetaPathFinder):
    """Finds modules as the other finders do, and loads the changed text of a file in place of its own."""

    def __init__(self, texts: Mapping[Path, str]):
        self._texts = texts

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        found = (finder.find_spec(fullname, path, target) for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, found), None)
        if spec is not None and spec.origin is not None:
            text = self._texts.get(Path(spec.origin).resolve())
            if text is not None:
                spec.loader = _TextLoader(fullname, spec.origin, text)
        return spec


class _TextLoader(SourceFileLoader):
    """Loads a text as if it were in the file at a path."""

    def __init__(self, fullname: str, path: str, text: str):
        super().__init__(fullname, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._text, self.path, "exec", dont_inherit=True)
