#!/usr/bin/env bash
# The card view, drawn in a real browser by the extension's own host.
#
#   tests/mcp/app/run.sh [--screenshots FOLDER]
#
# Needs Node 20 or later with npm, and Chromium; as root it installs what is missing (Debian). Packages are pinned and kept
# in target/mcp-app: the second run is fast.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$root/target/mcp-app
browser=${CHROMIUM:-/usr/bin/chromium}

fail() { printf 'tests/mcp/app/run.sh: %s\n' "$*" >&2; exit 1; }

node_is_there() { node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' 2>/dev/null && npm --version >/dev/null 2>&1; }
missing=()
node_is_there || missing+=(nodejs npm)
[[ -x $browser ]] || missing+=(chromium)
if ((${#missing[@]})) && [[ $(id -u) == 0 ]]; then
  apt-get update -q >/dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" fonts-dejavu-core >/dev/null
fi
node_is_there || fail "nothing was checked; install Node 20 or later with npm"
[[ -x $browser ]] || fail "nothing was checked; there is no browser at $browser: install chromium, or write CHROMIUM=path"

mkdir -p "$work"
# One run at a time: two would install over each other.
exec 9>"$work/lock"
flock 9

key=$(cat "$here/package.json" "$here/package-lock.json" | sha256sum)
if [[ ! -f $work/installed || $(<"$work/installed") != "$key" ]]; then
  rm -f "$work/installed"
  cp "$here/package.json" "$here/package-lock.json" "$work/"
  # Where packages come from is the machine's business.
  if ! npm ci --prefix "$work" --ignore-scripts --no-audit --no-fund >"$work/install.log" 2>&1; then
    sed -E 's#[a-z+]+://[^ )"]+#…#g' "$work/install.log" >&2
    fail "npm ci did not work"
  fi
  printf '%s' "$key" >"$work/installed"
fi

node "$here/check.mjs" --modules "$work/node_modules" --browser "$browser" "$@"
