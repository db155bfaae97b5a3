PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin

# Compiled modules are kept: the tests start many processes, and each would compile DSPy and all beneath it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test attack docs install clean

demo: install
	rm -rf runs/demo
	$(BIN)/multihop demo --to runs/demo

test: install
	$(BIN)/pytest -n auto --dist worksteal

# Hostile files, clients, disks and LMs, at length: ten minutes. `make test` has the brief form.
ATTACKS := tests/attack tests/evaluation/test_failing_server.py tests/evaluation/test_bills.py tests/evaluation/test_runner.py

attack: install
	$(BIN)/pytest $(ATTACKS) --all

docs: install
	$(BIN)/python -m pip install --quiet --no-compile -e ".[docs]" -c constraints.txt
	$(BIN)/python docs/make_site.py build/pages
	$(BIN)/mkdocs build --quiet
	@echo "open build/site/index.html"

install: $(VENV)/installed

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile -e ".[dev]" -c constraints.txt
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info
