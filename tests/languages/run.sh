#!/usr/bin/env bash
# Honest tools in C, JavaScript and Python go through the whole pipeline; their dishonest twins do not.
#
#   FUMEHOOD=target/release/fumehood tests/languages/run.sh [c|quickjs|starlingmonkey|python]...
#
# Installs pinned toolchains and keeps them, with what they build, in target/languages: the second run is fast.
# Needs Node 20 or later with npm, and Python 3.10 or later with pip and venv.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/target/languages
wit=$root/wit
bindings=$wit/bindings/c/fumehood-tool/bindings

fail() { printf 'tests/languages/run.sh: %s\n' "$*" >&2; exit 1; }

[[ -n ${FUMEHOOD:-} ]] || fail "FUMEHOOD is not set; build the program and write FUMEHOOD=target/release/fumehood"
[[ -x $FUMEHOOD ]] || fail "there is no program at $FUMEHOOD; run cargo build --release"
FUMEHOOD=$(realpath "$FUMEHOOD")
# Compiled code stays here too, and the compiler's cache of the user is left alone.
export FUMEHOOD XDG_CACHE_HOME=$work/cache
export ZIG_GLOBAL_CACHE_DIR=$work/zig ZIG_LOCAL_CACHE_DIR=$work/zig

lanes=("$@")
((${#lanes[@]})) || lanes=(c quickjs starlingmonkey python)
for lane in "${lanes[@]}"; do
  [[ $lane =~ ^(c|quickjs|starlingmonkey|python)$ ]] || fail "there is no toolchain $lane"
done

missing=()
node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' 2>/dev/null || missing+=("Node 20 or later")
npm --version >/dev/null 2>&1 || missing+=("npm")
python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  missing+=("Python 3.10 or later with venv (Debian: python3-venv)")
if ((${#missing[@]})); then
  list=$(printf '%s; ' "${missing[@]}")
  fail "nothing was checked; install ${list%; }"
fi

mkdir -p "$work"
# One run at a time: two would install over each other.
exec 9>"$work/lock"
flock 9

# `once KEY_FILE... -- STAMP COMMAND...`: run the command unless it has succeeded for these files.
# A command that is a function must chain its steps with `&&`: in here nothing else stops it.
once() {
  local keys=()
  while [[ $1 != -- ]]; do keys+=("$1"); shift; done
  local stamp=$2
  shift 2
  local key
  key=$(cat "${keys[@]}" | sha256sum)
  [[ -f $stamp && $(<"$stamp") == "$key" ]] && return
  rm -f "$stamp"
  # Where packages come from is the machine's business.
  if ! "$@" >"$stamp.log" 2>&1; then
    sed -E 's#[a-z+]+://[^ )"]+#…#g' "$stamp.log" >&2
    [[ -s $stamp.log ]] || printf 'It said nothing. The disk has %s free.\n' "$(df --output=avail -h "$work" | tail -1 | tr -d ' ')" >&2
    fail "this did not work: ${*:1:4}"
  fi
  printf '%s' "$key" >"$stamp"
}

install_js() {
  mkdir -p "$work/js" &&
    cp "$here/js/package.json" "$here/js/package-lock.json" "$here/js/build.mjs" "$work/js/" &&
    npm ci --prefix "$work/js" --ignore-scripts --no-audit --no-fund
}

install_python() {
  local venv=$work/venv-$1
  rm -rf "$venv" &&
    python3 -m venv "$venv" &&
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$here/$1/requirements.txt"
}

build_c() {
  "$work/venv-c/bin/python" -m ziglang cc -target wasm32-wasi -mexec-model=reactor -O2 -s -Wall -I "${bindings%/*}" \
    "$here/c/$1.c" "$bindings/tool_component.c" "$bindings/tool_component_component_type.o" -o "$2"
}

build_js() { node "$work/js/build.mjs" "$1" "$wit" "$here/js/$2.js" "$3"; }

# It looks for the module where it stands, and leaves `__pycache__` there: a copy keeps the sources clean.
build_python() (
  mkdir -p "$work/python/source" &&
    cp "$here/python/$1.py" "$work/python/source/" &&
    cd "$work/python/source" &&
    "$work/venv-python/bin/componentize-py" --quiet \
      --wit-path "$wit" --world tool-component-on-wasi componentize "$1" --output "$2"
)

# One toolchain from its installation to its last check.
lane() {
  local lane=$1 out=$work/$1 source
  mkdir -p "$out"
  case $lane in
    c) once "$here/c/requirements.txt" -- "$work/c.installed" install_python c ;;
    python) once "$here/python/requirements.txt" -- "$work/python.installed" install_python python ;;
    # Installed below: two lanes share it.
    *) ;;
  esac
  for source in shout probe; do
    local core=$out/$source.unpacked.wasm stamp=$out/$source.built
    case $lane in
      c) once "$here/c/$source.c" "$bindings"/* "$here/c/requirements.txt" "$here/run.sh" -- \
        "$stamp" build_c "$source" "$core" ;;
      python) once "$here/python/$source.py" "$here/python/requirements.txt" "$wit"/*.wit "$here/run.sh" -- \
        "$stamp" build_python "$source" "$core" ;;
      *) once "$here/js/$source.js" "$here/js/build.mjs" "$here/js/package-lock.json" "$wit"/*.wit -- \
        "$stamp" build_js "$lane" "$source" "$core" ;;
    esac
  done
  local language=$lane
  [[ -d $here/$lane ]] || language=js
  "$FUMEHOOD" pack "$out/shout.unpacked.wasm" --manifest "$here/$language/manifest.json" -o "$out/shout.wasm" 2>&1
  "$FUMEHOOD" pack "$out/probe.unpacked.wasm" --manifest "$here/probe.json" -o "$out/probe.wasm" 2>&1
  python3 "$here/check.py" "$lane" "$out"
}

# The small toolchains run beside the installation of the large ones.
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
jobs=()
start() {
  lane "$1" >"$work/$1.report" 2>&1 &
  jobs+=("$1:$!")
}
for lane in "${lanes[@]}"; do
  [[ $lane == quickjs || $lane == starlingmonkey ]] || start "$lane"
done
if [[ " ${lanes[*]} " =~ " quickjs "|" starlingmonkey " ]]; then
  once "$here/js/package-lock.json" "$here/js/build.mjs" -- "$work/js.installed" install_js
  for lane in "${lanes[@]}"; do
    [[ $lane == quickjs || $lane == starlingmonkey ]] && start "$lane"
  done
fi

failed=()
for job in "${jobs[@]}"; do
  lane=${job%%:*}
  wait "${job##*:}" || failed+=("$lane")
  cat "$work/$lane.report"
done
((${#failed[@]} == 0)) || fail "these do not pass: ${failed[*]}"
echo "every check of ${lanes[*]} holds"
