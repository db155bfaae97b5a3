PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin

# Compiled modules are kept: the tests start many processes, and each would compile DSPy and all beneath it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test attack docs pictures release install clean

demo: install
	rm -rf runs/demo
	$(BIN)/multihop demo --to runs/demo

test: install
	$(BIN)/pytest -n auto --dist worksteal

# Hostile files, clients, disks and LMs, at length: ten minutes. `make test` has the brief form.
ATTACKS := tests/attack tests/evaluation/test_stopping.py tests/evaluation/test_bills.py tests/evaluation/test_runner.py

attack: install
	$(BIN)/pytest $(ATTACKS) --at-length

docs: install
	$(BIN)/python -m pip install --quiet --no-compile -e ".[docs]" -c constraints.txt
	$(BIN)/python docs/make_site.py build/pages
	$(BIN)/zensical build --strict --config-file build/mkdocs.yml
	@echo "open build/site/index.html"

# Chromium has to be on the PATH.
pictures: install
	$(BIN)/python -m pip install --quiet --no-compile -e ".[browser]" -c constraints.txt
	$(BIN)/python docs/make_pictures.py
	$(BIN)/python docs/make_tree.py
	$(BIN)/python docs/make_recall.py
	$(BIN)/python docs/make_badges.py

# Builds and checks what a release is made of; a person sends it.
release: install
	rm -rf dist
	$(BIN)/python -m build --quiet --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python docs/make_release_notes.py > dist/notes.md
	@echo "dist/ has the wheel, the sources and notes.md. Next, by hand:"
	@echo "  1. bash .ci/run                              all of it passes"
	@echo "  2. CHANGELOG.md                              the date in the place of \"unreleased\"; commit"
	@echo "  3. git tag -a v$$($(BIN)/python -c 'import multihop; print(multihop.__version__)') -F dist/notes.md"
	@echo "  4. $(BIN)/twine upload dist/*.whl dist/*.tar.gz"
	@echo "  5. __version__ in multihop/__init__.py       the next one, with a section in CHANGELOG.md"

install: $(VENV)/installed

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile -e ".[dev]" -c constraints.txt
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info
