# Sourced by the checks in a browser. Sets `modules` (their node_modules) and `browser`; installs what is missing where it may.
#
# Needs Node 20 or later with npm, and Chromium; as root it installs them (Debian). Packages are pinned and kept in
# target/browser: the second run is fast.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
browser=${CHROMIUM:-/usr/bin/chromium}
modules=$root/target/browser/node_modules

fail() { printf '%s: %s\n' "$0" "$*" >&2; exit 1; }

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

work=$root/target/browser
pinned=$root/tests/browser
mkdir -p "$work"
# One installation at a time: two would install over each other.
exec 9>"$work/lock"
flock 9
key=$(cat "$pinned/package.json" "$pinned/package-lock.json" | sha256sum)
if [[ ! -f $work/installed || $(<"$work/installed") != "$key" ]]; then
  rm -f "$work/installed"
  cp "$pinned/package.json" "$pinned/package-lock.json" "$work/"
  # Where packages come from is the machine's business.
  if ! npm ci --prefix "$work" --ignore-scripts --no-audit --no-fund >"$work/install.log" 2>&1; then
    sed -E 's#[a-z+]+://[^ )"]+#…#g' "$work/install.log" >&2
    fail "npm ci did not work"
  fi
  printf '%s' "$key" >"$work/installed"
fi
flock -u 9
