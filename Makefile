# Two commands matter: `make demo` and `make test`. Each sets up what it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: help demo test lint types imports format lock charts bench clean

help: ## List the targets.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

$(VENV)/.dev: requirements/dev.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

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

test: lint types imports ## Set up and run all tests, lint, types and import rules.
	$(BIN)/pytest -n 2 --cov --cov-report=term:skip-covered

.venv-charts/.ready: requirements/charts.txt
	$(PYTHON) -m venv .venv-charts
	.venv-charts/bin/python -m pip install --quiet --require-hashes -r requirements/charts.txt
	touch $@

charts: .venv-charts/.ready ## Redraw the charts of kmet-mini (needs the font NanumGothic).
	.venv-charts/bin/python scripts/draw_charts.py src/exambench/benchmarks/kmet_mini/images

.venv-bench/.ready: requirements/bench.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --require-hashes -r requirements/bench.txt
	touch $@

bench: $(VENV)/.dev .venv-bench/.ready ## Compare with other toolkits against one local server.
	$(BIN)/python -m bench engine --others .venv-bench/bin/python

clean: ## Remove the environments and caches.
	rm -rf .venv .venv-* .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage
