# Every target sets up what it needs in .venv by itself; `make demo` and `make test` are enough.

PYTHON ?= python3
WORKERS ?= 2

BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
BENCHMARKS = $(shell grep -l '__main__' benchmarks/*.py 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help demo explore docs test test-all pytest bench lint style types clean

help:
	@echo "make demo      learn codes for handwritten digits and write hashlearn-demo.html"
	@echo "make explore   look at these codes in the browser"
	@echo "make docs      build the documentation site into docs/_build/html"
	@echo "make test      linters, types and every test that runs in seconds"
	@echo "make test-all  also the tests that take longer"
	@echo "make bench     speed and memory against named peers"
	@echo "make lint      linters and types alone"
	@echo "make clean     remove .venv and everything that was built"

demo: .venv/ready-demo
	$(BIN)/hashlearn demo

explore: .venv/ready-explorer
	$(BIN)/hashlearn explore

# A warning is an error: a link that leads nowhere, a page that is in no table of contents.
docs: .venv/ready-docs
	$(BIN)/python -m sphinx --write-all --fail-on-warning --keep-going --quiet \
		docs docs/_build/html
	@echo "docs/_build/html/index.html"

# Types are checked while the tests start.
test: export SELECTION = -m "not slow"
test test-all: style
	@$(MAKE) --no-print-directory --jobs=2 types pytest

# One thread for each matrix library: several workers would wait for each other. Work that is
# stolen from the end of the longer list keeps both workers busy to the last test. Byte code is
# kept: tests start many programs, which would all compile the library again.
pytest: export PYTHONDONTWRITEBYTECODE =
pytest: .venv/ready-test
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(SELECTION)

# One benchmark at a time: beside another job its numbers would be wrong.
bench: .venv/ready-bench
	@set -e; for script in $(BENCHMARKS); do \
		echo "== $$script"; $(BIN)/python "$$script"; \
	done

lint: style types

style: .venv/ready-test
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check

types: .venv/ready-test
	$(BIN)/python -m mypy

clean:
	rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache hashlearn-demo.html
	rm -rf docs/_build docs/api/generated
	find src tests benchmarks examples docs -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# The stamps: an environment is made again when pyproject.toml changes.

.venv/ready-demo: pyproject.toml .venv/ready-python
	$(INSTALL) --editable '.[plot]'
	@touch $@

.venv/ready-explorer: pyproject.toml .venv/ready-python
	$(INSTALL) --editable '.[explorer]'
	@touch $@

.venv/ready-docs: pyproject.toml .venv/ready-python
	$(INSTALL) --editable '.[docs]'
	@touch $@

.venv/ready-test: pyproject.toml .venv/ready-python
	$(INSTALL) --editable '.[test]'
	@touch $@

.venv/ready-bench: pyproject.toml .venv/ready-python
	$(INSTALL) --editable '.[bench]'
	@touch $@

.venv/ready-python:
	@command -v $(PYTHON) >/dev/null || { \
		echo "'$(PYTHON)' was not found; name a Python 3.11 or newer: make PYTHON=python3.11" >&2; \
		exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "hashlearn needs Python 3.11 or newer, and '$(PYTHON)' is" \
			"$$($(PYTHON) --version 2>&1); name another: make PYTHON=python3.11" >&2; \
		exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@
