# Two commands on a fresh machine: `make run` and `make test`. They need git, make and Python 3.11 or newer.
#
# There is one virtual environment. `run` fills it from requirements/run.lock, `test` adds requirements/dev.lock to
# it: the second lock is made under the versions of the first, so either order gives the same environment.

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
UV := VIRTUAL_ENV=$(VENV) UV_SYSTEM_CERTS=1 $(BIN)/uv
COMPILE := UV_SYSTEM_CERTS=1 ../$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header

.DEFAULT_GOAL := help
.PHONY: help run test test-rules lint bench lock clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

run: $(VENV)/.run ## Start everything under var/ and print the address and a development key (PORT=8123 make run)
	@exec $(BIN)/moveledger up

test: $(VENV)/.dev ## Run all tests against embedded servers of their own
	@$(BIN)/python -m pytest -n 2 --dist worksteal

test-rules: $(VENV)/.dev ## Run only the tests that need no server: the rules of the games and their properties
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m "not thorough" tests/rules tests/properties

lint: $(VENV)/.dev ## Check style, types and the layers
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(VENV)/.bench ## Measure, and compare with the figures that the project holds itself to
	@$(BIN)/python -m bench

lock: $(VENV)/.dev ## Pin again after a change of requirements/*.in; UPGRADE=1 takes newer versions
	cd requirements && $(COMPILE) $(if $(UPGRADE),--upgrade) run.in -o run.lock
	cd requirements && $(COMPILE) $(if $(UPGRADE),--upgrade) dev.in -c run.lock -o dev.lock
	cd requirements && $(COMPILE) $(if $(UPGRADE),--upgrade) bench.in -o bench.lock
	cd requirements && $(COMPILE) $(if $(UPGRADE),--upgrade) uv.in -o uv.lock

clean: ## Remove the environment and the caches; var/, where the data is, stays
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the environment: one stamp for each set that it holds ---------------------------------------------------------

# A lock file: by uv, or by pip where uv cannot (a registry that only pip is set up for, a system without a uv).
define install
	@echo "moveledger: installing $(1)" >&2
	@$(UV) pip install --require-hashes -r requirements/$(1).lock \
		|| { echo "moveledger: that did not work with uv, going on with pip" >&2; \
		$(BIN)/python -m pip install --disable-pip-version-check --no-deps --require-hashes -r requirements/$(1).lock; }
endef

$(VENV)/.run: requirements/run.lock pyproject.toml | $(VENV)/.made
	$(call install,run)
	@$(UV) pip install -q --no-deps --no-build-isolation -e . \
		|| $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.lock $(VENV)/.run
	$(call install,dev)
	@touch $@

$(VENV)/.bench: requirements/bench.lock $(VENV)/.dev
	$(call install,bench)
	@touch $@

$(VENV)/.made: requirements/uv.lock
	@test -n "$(PYTHON)" || { echo "moveledger: needs Python 3.11 or newer, and found none. Name one: make PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "moveledger: this Python cannot make virtual \
	environments. On Debian and Ubuntu that is a package of its own: apt-get install python3-venv" >&2; exit 1; }
	@echo "moveledger: making the virtual environment $(VENV) with $$($(PYTHON) --version)" >&2
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/uv.lock \
		|| echo "moveledger: no uv for this system, going on with pip" >&2
	@touch $@
