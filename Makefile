PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin

# Compiled modules are kept: the tests start many processes, and each would compile DSPy and all beneath it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test docs install clean

demo: install
	rm -rf runs/demo
	$(BIN)/multihop demo --to runs/demo

test: install
	$(BIN)/pytest -n auto --dist worksteal

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
