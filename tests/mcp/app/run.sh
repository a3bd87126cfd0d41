#!/usr/bin/env bash
# The card view, drawn in a real browser by the extension's own host.
#
#   FUMEHOOD=target/release/fumehood tests/mcp/app/run.sh [--screenshots FOLDER]
#
# With FUMEHOOD the view is what that program serves; without, it is put together from its parts in the repository.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/browser/setup.sh
source "$here/../../browser/setup.sh"

node "$here/check.mjs" --modules "$modules" --browser "$browser" ${FUMEHOOD:+--fumehood "$FUMEHOOD"} "$@"
