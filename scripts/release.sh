#!/usr/bin/env bash
# Builds the source distribution and the wheel into dist/, checks both, and runs the tests of the source distribution with the
# wheel in a new environment. `make release` runs it in the development environment.
set -euo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rm -rf dist
$python -m build --outdir dist . >"$work/build.log" || { cat "$work/build.log"; exit 1; }
.venv/bin/twine check --strict dist/*
.venv/bin/check-wheel-contents dist/*.whl

$python -m venv "$work/venv"
wheel=$(echo "$PWD"/dist/*.whl)
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "${wheel}[cuda,test]"
tar xzf dist/*.tar.gz -C "$work"
cd "$work"/xshardy-*
rm -r xshardy # what is tested is the installed wheel
"$work/venv/bin/xshardy" --version
"$work/venv/bin/python" examples/demo.py
"$work/venv/bin/lit" --no-progress-bar -q -j 2 tests/filecheck
echo "built and tested: $(cd - >/dev/null && echo dist/*)"
