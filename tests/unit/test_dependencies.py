"""Which versions of other packages xshardy allows, is tested with, and says that it needs: the same everywhere."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
REQUIREMENTS = {found.name: found for found in map(Requirement, PROJECT["dependencies"])}
OLDEST = "scripts/oldest_versions.txt"


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_the_installed_version_is_allowed(name: str):
    assert REQUIREMENTS[name].specifier.contains(version(name))


def test_the_oldest_versions_are_those_of_the_project():
    lines = [line for line in (ROOT / OLDEST).read_text().splitlines() if not line.startswith("#")]
    listed = dict(line.split("==") for line in lines)
    lowest = {name: found for name, requirement in REQUIREMENTS.items() for found in lower_bounds(requirement)}
    assert listed.keys() == lowest.keys()
    for name, listed_version in listed.items():
        assert REQUIREMENTS[name].specifier.contains(listed_version)
        assert re.fullmatch(rf"{re.escape(lowest[name])}(\.0)*", listed_version)


def lower_bounds(requirement: Requirement) -> list[str]:
    return [found.version for found in requirement.specifier if found.operator == ">="]


def test_the_workflow_runs_the_tests_with_the_oldest_versions():
    assert f"PIP_CONSTRAINT: {OLDEST}" in (ROOT / ".github" / "workflows" / "ci.yml").read_text()


@pytest.mark.parametrize("page", ["docs/upstream/index.md", "CONTRIBUTING.md"])
def test_pages_say_which_versions_of_xdsl(page: str):
    (dependency,) = [found for found in PROJECT["dependencies"] if Requirement(found).name == "xdsl"]
    assert f"`{dependency}`" in (ROOT / page).read_text()


def test_an_editable_installation_is_a_path():
    """
    With this line, setuptools writes the path of the clone. Without, it writes an import hook, and `import xshardy` in
    the folder that has the clone finds the clone itself, a folder without `__init__.py`.
    """
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert settings["package-dir"] == {"": "."} and not (ROOT / "__init__.py").exists()
