#!/usr/bin/env bash
# The page of `fumehood replay LOG --html FILE`, in a real browser, with real clicks and keys.
#
#   FUMEHOOD=target/release/fumehood tests/replay/run.sh [--screenshots FOLDER | --pictures | --measure]
#
# With FUMEHOOD each page is what that program writes; without, it is put together from its parts in the repository.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/browser/setup.sh
source "$here/../browser/setup.sh"

node "$here/check.mjs" --modules "$modules" --browser "$browser" ${FUMEHOOD:+--fumehood "$FUMEHOOD"} "$@"
