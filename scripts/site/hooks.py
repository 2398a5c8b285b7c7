"""
The hooks of `mkdocs build`: pages generated from the code, and links to files outside of `docs/`.

Nothing generated is written to `docs/`. A link to a source file leads to a page with its text, so that the site is
whole without a repository on the network.
"""

import posixpath
import re
from pathlib import Path

import playground
from api_page import api_page
from command_page import command_page
from comparison_page import comparison_page
from dialect_pages import dialect_pages
from filecheck_examples import ROOT
from gallery_page import gallery_page, with_pictures
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from xshardy.tools.puzzles import PUZZLES

LINK = re.compile(r"(?<=\]\()(\.\./[^)#:\s]+)(?=[)#])")
"""The target of a link that starts in the parent folder."""
PUZZLE_PAGES = "xshardy/tools/puzzles/pages"
"""Where the package has the pages of puzzles."""
PROJECT_PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    **{f"{PUZZLE_PAGES}/{name}.md": f"puzzles/{name}.md" for name in PUZZLES},
}
"""By the file of the repository, its page."""
NOT_SEARCHED = "---\nsearch: { exclude: true }\n---\n\n"
"""The start of a page that the search leaves out."""
LANGUAGES = {".py": "python", ".mlir": "mlir", ".hlo": "text", ".md": "markdown"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages, those of the project's files, and a page for each source file that a page links to."""
    pages = {
        **dialect_pages(),
        "gallery.md": gallery_page(),
        "reference/commands.md": command_page(),
        "reference/python.md": api_page(),
        "reference/upstream.md": comparison_page(),
        **{page: _as_page(name) for name, page in PROJECT_PAGES.items() if page != "index.md"},
    }
    for file in files.documentation_pages():
        pages.update(_sources(Path(file.abs_src_path or "").read_text(), file.src_uri))
    for path, text in [*pages.items()]:
        pages.update(_sources(text, path))
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    for name, data in playground.generated().items():
        files.append(File.generated(config, f"playground/{name}", content=data))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Draw the pictures of a page, and let its links to files outside of `docs/` lead to the pages of these files."""

    def target(match: re.Match[str]) -> str:
        outside = _outside(match[1], page.file.src_uri)
        return match[1] if outside is None else _relative(_page_of(outside), page.file.src_uri)

    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation", "toc"]
    return with_pictures(LINK.sub(target, markdown))


def _as_page(name: str) -> str:
    """The text of a file outside of `docs/`, with links from a page in a folder of `docs/`."""

    def link(match: re.Match[str]) -> str:
        return posixpath.relpath(posixpath.join(posixpath.dirname(name), match[1]), "docs/project")

    return re.sub(r"(?<=\]\()(?!https?:|#)([^)]+)", link, (ROOT / name).read_text())


def _sources(text: str, uri: str) -> dict[str, str]:
    """The pages of the source files that the page `uri` links to."""
    found = {outside for link in LINK.findall(text) if (outside := _outside(link, uri)) is not None}
    return {_page_of(path): _source_page(path) for path in found if path not in PROJECT_PAGES}


def _outside(link: str, uri: str) -> str | None:
    """The path of the file that a link on the page `uri` leads to, from the root; None inside of `docs/`."""
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(uri), link))
    return None if path.startswith("docs/") else path


def _page_of(path: str) -> str:
    return PROJECT_PAGES.get(path, f"source/{path}.md")


def _relative(target: str, uri: str) -> str:
    return posixpath.relpath(target, posixpath.dirname(uri))


def _source_page(path: str) -> str:
    """The text of a file, or the names in a folder."""
    file = ROOT / path
    if file.is_dir():
        names = sorted(each.name for each in file.iterdir() if not each.name.startswith((".", "__pycache__")))
        return "\n".join([f"# `{path}`", "", *(f"- `{name}`" for name in names)])
    return f"{NOT_SEARCHED}# `{path}`\n\n~~~~~~{LANGUAGES.get(file.suffix, 'text')}\n{file.read_text()}~~~~~~\n"
