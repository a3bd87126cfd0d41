#!/bin/sh
# Makes build/table-stats.wasm of app.py and of all that it imports.
set -eu
cd "$(dirname "$0")"
mkdir -p build
.venv/bin/componentize-py --quiet --wit-path fumehood_tool/wit --world component componentize app --output build/table-stats.wasm
