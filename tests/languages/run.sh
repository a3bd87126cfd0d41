#!/usr/bin/env bash
# Libraries, templates and sample tools in C, JavaScript and Python, built, tested and checked; and their dishonest twins.
#
#   FUMEHOOD=target/release/fumehood tests/languages/run.sh [c|quickjs|starlingmonkey|python]...
#
# Installs pinned toolchains and keeps them, with what they build, in target/languages: the second run is fast.
# Needs make, Node 20 or later with npm, and Python 3.11 or later with pip and venv.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/target/languages
bindings=$root/wit/bindings

fail() { printf 'tests/languages/run.sh: %s\n' "$*" >&2; exit 1; }

[[ -n ${FUMEHOOD:-} ]] || fail "FUMEHOOD is not set; build the program and write FUMEHOOD=target/release/fumehood"
[[ -x $FUMEHOOD ]] || fail "there is no program at $FUMEHOOD; run cargo build --release"
FUMEHOOD=$(realpath "$FUMEHOOD")
# Compiled code stays here too, and the compiler's cache of the user is left alone.
export FUMEHOOD XDG_CACHE_HOME=$work/cache OUTLINES=$here/outline.json
export ZIG_GLOBAL_CACHE_DIR=$work/zig ZIG_LOCAL_CACHE_DIR=$work/zig

lanes=("$@")
((${#lanes[@]})) || lanes=(c quickjs starlingmonkey python)
for lane in "${lanes[@]}"; do
  [[ $lane =~ ^(c|quickjs|starlingmonkey|python)$ ]] || fail "there is no toolchain $lane"
done

missing=()
make --version >/dev/null 2>&1 || missing+=("make")
node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' 2>/dev/null || missing+=("Node 20 or later")
npm --version >/dev/null 2>&1 || missing+=("npm")
python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  missing+=("Python 3.11 or later with venv (Debian: python3-venv)")
if ((${#missing[@]})); then
  list=$(printf '%s; ' "${missing[@]}")
  fail "nothing was checked; install ${list%; }"
fi

mkdir -p "$work"
# One run at a time: two would install over each other.
exec 9>"$work/lock"
flock 9

# `once KEY... -- STAMP COMMAND...`: run the command unless it has succeeded for these files and what is in these folders.
# A command that is a function must chain its steps with `&&`: in here nothing else stops it.
once() {
  local keys=()
  while [[ $1 != -- ]]; do keys+=("$1"); shift; done
  local stamp=$2
  shift 2
  local key
  # What git would commit: no build of somebody's in between.
  key=$(cd "$root" && git ls-files -coz --exclude-standard -- "${keys[@]}" "$here/run.sh" |
    xargs -0 sh -c 'for file; do [ ! -f "$file" ] || cat "$file"; done' sh | sha256sum)
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

say() { printf 'ok     %s: %s\n' "$1" "$2"; }

# `project LANGUAGE NAME [OPTION]...`: a project as `fumehood new` makes it. What is installed in it stays, and nothing else.
project() {
  local folder=$work/$1/$2 fresh=$work/$1/fresh
  rm -rf "$fresh" && mkdir -p "$fresh" "$folder" && (cd "$fresh" && "$FUMEHOOD" new "$2" --lang "$1" "${@:3}") &&
    find "$folder" -mindepth 1 -maxdepth 1 ! -name node_modules ! -name .venv -exec rm -rf {} + &&
    cp -r "$fresh/$2/." "$folder/" && rm -r "$fresh"
}

# `sample LANGUAGE NAME`: a copy of the sample, so that nothing is written among the sources.
sample() {
  mkdir -p "$work/$1/$2" && (cd "$root/sample-tools/$2" && git ls-files -coz --exclude-standard | xargs -0 cp -rLp --parents -t "$work/$1/$2")
}

pack() { "$FUMEHOOD" pack "$1" --manifest "$2" -o "$3" 2>&1; }

# `checked LANE FILE`: everything that `fumehood check` looks at, with the cases beside it.
checked() {
  local report
  report=$("$FUMEHOOD" check "$2" 2>&1) || { printf '%s\n' "$report"; fail "$1: $(basename "$2") does not pass its check"; }
  say "$1" "$(basename "$2"): $(tail -1 <<<"$report")"
}

# `answers LANE FOLDER`: the packed template answers as its README says.
answers() {
  local said
  said=$("$FUMEHOOD" run "$2/line-finder.wasm" --args '{"text": "one\ntwo", "find": "two"}')
  [[ $said == "2: two" ]] || fail "$1: the tool of the template said: $said"
  say "$1" "the tool of the template answers"
}

# What a project asks for where the language's runtime reaches it by itself.
wasi=(--capability env:GREETING --capability clock --capability random)

# --- C ---

c_project() {
  project c line-finder && cd "$work/c/line-finder" && make test && make && pack build/line-finder.wasm manifest.json line-finder.wasm
}

# With the compiler of the project above.
zig() { "$work/c/line-finder/.venv/bin/python" -m ziglang cc -std=gnu11 -O2 -Wall -Wextra -Werror -I "$bindings/c/fumehood-tool" "$@"; }

c_library() {
  zig "$here/c/library/test.c" "$bindings"/c/fumehood-tool/*.c -lm -o "$work/c/library-test" && "$work/c/library-test" "$OUTLINES" &&
    zig -target wasm32-wasi -mexec-model=reactor -s -Wl,-z,stack-size=1048576 "$here"/c/*.c "$bindings"/c/fumehood-tool/*.c \
      "$bindings"/c/fumehood-tool/bindings/*.[co] -o "$work/c/gallery.unpacked.wasm" &&
    pack "$work/c/gallery.unpacked.wasm" "$here/manifest.json" "$work/c/gallery.wasm"
}

c_sample() {
  sample c checksum && cd "$work/c/checksum" && ln -sfn ../line-finder/.venv .venv && make test && make &&
    pack build/checksum.wasm manifest.json checksum.wasm
}

# As it is written, and with a tool that uses what it asks for.
c_asking() {
  project c asking --capability filesystem:read-write "${wasi[@]}" && cd "$work/c/asking" && ln -sfn ../line-finder/.venv .venv &&
    touch .venv/installed && make test && make && pack build/asking.wasm manifest.json asking.wasm &&
    cp "$here/asking/tool.c" tool.c && make && pack build/asking.wasm manifest.json "$work/c/asking.used.wasm"
}

lane_c() {
  once "$bindings/c" -- "$work/c.project" c_project
  say c "the template builds, and its tests hold"
  answers c "$work/c/line-finder"
  checked c "$work/c/line-finder/line-finder.wasm"
  once "$bindings/c" "$here/c" "$here/manifest.json" "$OUTLINES" -- "$work/c.library" c_library
  say c "the tests of the library hold"
  python3 "$here/check.py" c "$work/c/gallery.wasm"
  once "$bindings/c" "$root/sample-tools/checksum" -- "$work/c.sample" c_sample
  checked c "$work/c/checksum/checksum.wasm"
  once "$bindings/c" "$here/asking" "$root/host/src/cli/new" -- "$work/c.asking" c_asking
  python3 "$here/asking.py" c written "$work/c/asking/asking.wasm"
  checked c "$work/c/asking/asking.wasm"
  python3 "$here/asking.py" c used "$work/c/asking.used.wasm"
}

# --- JavaScript ---

npm_ci() { npm ci --ignore-scripts --no-audit --no-fund; }

js_project() {
  project js line-finder && cd "$work/js/line-finder" && npm_ci && npm test && npm run check && npm run build &&
    pack build/line-finder.wasm manifest.json line-finder.wasm
}

# In the project above, which has the packages.
js_library() {
  cd "$work/js/line-finder" && rm -rf gallery && mkdir gallery && cp "$here"/js/{*.js,types.ts,tsconfig.json} gallery/ &&
    node --test gallery/library.test.js && node_modules/.bin/tsc -p gallery/tsconfig.json &&
    mv gallery/*.js src/ && node build.mjs src/component.js "$work/js/gallery.unpacked.wasm" &&
    pack "$work/js/gallery.unpacked.wasm" "$here/manifest.json" "$work/js/gallery.wasm"
}

js_sample() {
  sample js js-syntax && cd "$work/js/js-syntax" && cmp build.mjs "$bindings/js/template/build.mjs" && npm_ci && npm test &&
    npm run check && npm run build && pack build/js-syntax.wasm manifest.json js-syntax.wasm
}

# `js_asking NAME OPTION...`: as it is written, and with the tool in `asking/` that uses what it asks for.
js_asking() {
  project js "$@" && cd "$work/js/$1" && npm_ci && npm test && npm run check && npm run build &&
    pack "build/$1.wasm" manifest.json "$1.wasm" &&
    cp "$here/asking/$1.js" src/tool.js && npm run check && npm run build && pack "build/$1.wasm" manifest.json "$work/js/$1.used.wasm"
}

lane_quickjs() {
  once "$bindings/js" "$root/wit/"*.wit -- "$work/quickjs.project" js_project
  say quickjs "the template builds, its tests hold, and so do its types"
  answers quickjs "$work/js/line-finder"
  checked quickjs "$work/js/line-finder/line-finder.wasm"
  once "$bindings/js" "$here/js" "$here/manifest.json" "$OUTLINES" -- "$work/quickjs.library" js_library
  say quickjs "the tests of the library hold, and its types refuse what they must"
  python3 "$here/check.py" quickjs "$work/js/gallery.wasm"
  once "$bindings/js" "$root/sample-tools/js-syntax" -- "$work/quickjs.sample" js_sample
  checked quickjs "$work/js/js-syntax/js-syntax.wasm"
  local name keys=("$bindings/js" "$root/wit/"*.wit "$here/asking" "$root/host/src/cli/new")
  once "${keys[@]}" -- "$work/quickjs.process" js_asking process --capability filesystem:read --capability process:echo "${wasi[@]}"
  once "${keys[@]}" -- "$work/quickjs.tools" js_asking tools --capability tools:line_finder
  for name in process tools; do
    python3 "$here/asking.py" "quickjs-$name" written "$work/js/$name/$name.wasm"
    checked quickjs "$work/js/$name/$name.wasm"
    python3 "$here/asking.py" "quickjs-$name" used "$work/js/$name.used.wasm"
  done
}

# It resolves no packages: the library is imported by its path.
starlingmonkey() {
  local folder=$work/starlingmonkey file
  mkdir -p "$folder/src" && cp "$here"/js/{package.json,package-lock.json,starlingmonkey.mjs} "$folder/" &&
    rm -rf "$folder/fumehood-tool" && cp -rL "$bindings/js/fumehood-tool" "$folder/fumehood-tool" && cd "$folder" &&
    for file in component gallery probe; do
      sed 's#"fumehood-tool/\([a-z]*\)"#"../fumehood-tool/\1.js"#; s#"fumehood-tool"#"../fumehood-tool/index.js"#' "$here/js/$file.js" >"src/$file.js" || return
    done && npm_ci && node starlingmonkey.mjs src/component.js fumehood-tool/wit gallery.unpacked.wasm &&
    pack gallery.unpacked.wasm "$here/manifest.json" gallery.wasm
}

lane_starlingmonkey() {
  once "$bindings/js" "$here/js" "$here/manifest.json" -- "$work/starlingmonkey.library" starlingmonkey
  python3 "$here/check.py" starlingmonkey "$work/starlingmonkey/gallery.wasm"
}

# --- Python ---

python_project() {
  project python line-finder && cd "$work/python/line-finder" && python3 -m venv .venv &&
    .venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt && .venv/bin/python -m unittest &&
    .venv/bin/mypy && sh build.sh && pack build/line-finder.wasm manifest.json line-finder.wasm
}

# With the packages of the project above. The library's types are held against the interface's, which componentize-py makes.
python_library() {
  local folder=$work/python/gallery bin=$work/python/line-finder/.venv/bin
  rm -rf "$folder" && mkdir -p "$folder" && cp "$here"/python/*.py "$folder/" &&
    cp -rL "$bindings/python/fumehood_tool" "$folder/fumehood_tool" && cd "$folder" && "$bin/python" -m unittest &&
    "$bin/componentize-py" --quiet --wit-path fumehood_tool/wit --world component bindings interface &&
    MYPYPATH=interface "$bin/mypy" --strict fumehood_tool ./*.py && rm -rf interface &&
    "$bin/componentize-py" --quiet --wit-path fumehood_tool/wit --world component componentize app --output unpacked.wasm &&
    pack unpacked.wasm "$here/manifest.json" gallery.wasm
}

python_sample() {
  sample python table-stats && cd "$work/python/table-stats" && ln -sfn ../line-finder/.venv .venv &&
    .venv/bin/python -m unittest && .venv/bin/mypy && sh build.sh && pack build/table-stats.wasm manifest.json table-stats.wasm
}

# Built once, with a tool that uses what it asks for: of such a component each compilation is dear.
python_asking() {
  project python asking --capability filesystem:read --capability http --capability secret:token "${wasi[@]}" &&
    cd "$work/python/asking" && ln -sfn ../line-finder/.venv .venv && .venv/bin/python -m unittest && .venv/bin/mypy &&
    cp "$here/asking/tool.py" tool.py && .venv/bin/mypy app.py tool.py && sh build.sh &&
    pack build/asking.wasm manifest.json "$work/python/asking.used.wasm"
}

lane_python() {
  once "$bindings/python" "$root/wit/"*.wit -- "$work/python.project" python_project
  say python "the template builds, its tests hold, and so do its types"
  answers python "$work/python/line-finder"
  once "$bindings/python" "$here/python" "$here/manifest.json" "$OUTLINES" -- "$work/python.library" python_library
  say python "the tests of the library hold, and its types are the interface's"
  python3 "$here/check.py" python "$work/python/gallery/gallery.wasm"
  once "$bindings/python" "$root/sample-tools/table-stats" -- "$work/python.sample" python_sample
  checked python "$work/python/table-stats/table-stats.wasm"
  once "$bindings/python" "$root/wit/"*.wit "$here/asking" "$root/host/src/cli/new" -- "$work/python.asking" python_asking
  say python "a template that asks builds, its tests hold, and so do the types of a tool that uses what it asks for"
  python3 "$here/asking.py" python used "$work/python/asking.used.wasm"
}

# --- All of them, side by side ---

trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
jobs=()
for lane in "${lanes[@]}"; do
  mkdir -p "$work/${lane/quickjs/js}"
  "lane_$lane" >"$work/$lane.report" 2>&1 &
  jobs+=("$lane:$!")
done
failed=()
for job in "${jobs[@]}"; do
  lane=${job%%:*}
  wait "${job##*:}" || failed+=("$lane")
  cat "$work/$lane.report"
done
((${#failed[@]} == 0)) || fail "these do not pass: ${failed[*]}"
echo "every check of ${lanes[*]} holds"
