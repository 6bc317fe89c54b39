# One environment for everything: .venv, made when missing or when setup.cfg has changed.
# Needs Python >= 3.11 and make; another interpreter: make PYTHON=python3.12 test
PYTHON ?= python3
PIP = .venv/bin/python -m pip --disable-pip-version-check -q
CODE = srcgrad tests samples benchmarks

.PHONY: demo test lint check clean

demo: .venv/installed
	.venv/bin/python samples/demo.py

test: .venv/installed
	.venv/bin/python -m pytest -q -n 2

# all of `check` but the tests
lint: .venv/installed
	.venv/bin/python -m pytest -q --doctest-modules srcgrad
	.venv/bin/python -m ruff check $(CODE)
	.venv/bin/python -m ruff format --check $(CODE)
	.venv/bin/python -m mypy

check: test lint

.venv/installed: setup.cfg pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "srcgrad needs Python 3.11 or newer: make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP) install -e '.[test]'
	touch $@

clean:
	rm -rf .venv build *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
