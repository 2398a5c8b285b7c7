# Two commands do everything on a machine that has only Python, git and make: `make demo` and `make test`.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# Most modules are never imported: the others are compiled when they are.
PIP    := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile
PYTEST := $(BIN)/pytest -n 2 --dist worksteal

FUZZ_INPUTS ?= 10000

# Tests and benchmarks start hundreds of processes, each of which would compile what it imports from source.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo quick test soak bless lint format fuzz mutants bench docs notebooks release clean

help:  ## this list
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

demo: $(VENV)/.demo  ## examples/gelu.hlo to PTX, assembled by ptxas, executed on the CPU and compared with numpy
	@$(BIN)/python examples/demo.py

quick: $(VENV)/.test  ## a sample of the suites, in less than 60 seconds
	$(PYTEST) tests/filecheck @tests/quick.txt

test: $(VENV)/.test  ## FileCheck suites, unit, numeric and differential tests; the ten slowest
	$(PYTEST) --durations 10

soak: $(VENV)/.test  ## the property tests with 1,000 examples each, others each time (an hour)
	$(PYTEST) -m hypothesis --hypothesis-profile soak --timeout 0

mutants: $(VENV)/.dev  ## small faults put into passes, emitters and interpreters: how many the tests find (hours)
	$(BIN)/python tests/mutation

bless: $(VENV)/.test  ## FILE=...: the check lines of a FileCheck test become what the tools print; read the difference
	@$(BIN)/python scripts/bless $(FILE)

lint: $(VENV)/.dev  ## ruff, and pyright in strict mode on xshardy/
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/pyright

format: $(VENV)/.dev  ## rewrite the sources in the house's format
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

fuzz: $(VENV)/.test  ## random inputs for the tools; goes on where the last run stopped (state and findings in .fuzz)
	$(BIN)/python tests/fuzz $(if $(wildcard ../shared),--seeds ../shared) --inputs $(FUZZ_INPUTS)

bench: $(VENV)/.test  ## the benchmarks, each beside its peer
	@for benchmark in benchmarks/*.py; do echo; echo $$benchmark; $(BIN)/python $$benchmark || exit; done

docs: $(VENV)/.docs  ## site/: the documentation as pages, with a reference generated from the code; warnings are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

notebooks: $(VENV)/.notebooks  ## notebooks/: the tutorials as notebooks; open them with .venv/bin/jupyter lab notebooks
	$(BIN)/python scripts/site/notebooks.py notebooks

release: $(VENV)/.dev  ## dist/: the source distribution and the wheel, tested in a new environment
	@scripts/release.sh

clean:  ## remove the virtual environment and all caches
	rm -rf $(VENV) build dist site notebooks *.egg-info .pytest_cache .hypothesis .ruff_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[cuda]' && touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[cuda,test]' && touch $@ $(VENV)/.demo

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[dev]' && touch $@ $(VENV)/.test $(VENV)/.demo

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[docs]' && touch $@

$(VENV)/.notebooks: pyproject.toml | $(BIN)/python
	$(PIP) -e '.[notebooks]' && touch $@
