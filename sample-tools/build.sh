#!/usr/bin/env bash
# Builds the sample tools from source and packs each into dist/NAME.wasm.
#
#   build.sh             build, pack, and write dist/
#   build.sh --check     build into target/check and compare with dist/, byte for byte, when the toolchain is the one
#                        of dist/TOOLCHAIN. With another toolchain the bytes must differ: then it says so, prints the
#                        folder on stdout and exits 0, and the golden cases are what is left to run on that folder.
#   build.sh --install   first install what is missing (apt-get as root, pip into .sysroot); goes with both others
#
# Two toolchains will do. The one dist/ was built with is tried first by --check, rustup's first otherwise:
#   rustup   the targets wasm32-unknown-unknown and wasm32-wasip2 of the rustc on PATH
#   debian   /usr/bin/rustc of rustc-web, std from rust-web-src, wasm-ld-22, and the wasi-libc in PyPI's ziglang
#
# Environment: FUMEHOOD, the fumehood to pack with (default: build and run the one of this repository);
# TOOLCHAIN=rustup|debian, to have no other; CARGO_HOME as usual.
#
# Exit status: 0 done, 1 a build failed or --check found a difference, 2 a tool is missing or an option is unknown.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
here=$PWD

say() { printf '%s\n' "$*" >&2; }

check=0 install=0
for option in "$@"; do
  case $option in
    --check) check=1 ;;
    --install) install=1 ;;
    -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' build.sh; exit 0 ;;
    *) say "build.sh: unknown option $option; --help lists what there is"; exit 2 ;;
  esac
done

# Tools that need no operating system are built for a target that has none: they import nothing, or of the host alone.
bare=(word-count shell conformance redact-secrets block-instructions)
wasi=(files memory web flaky cookbook)
# The least tool, on the kit and on bare bindings. Not shipped: the one is the measure of the other.
noop=(noop-kit noop-raw)

zig_version=0.17.1
sysroot=$here/.sysroot
packages=(rustc-web cargo-web rust-web-src lld-22)

# --- Which toolchain ---

find_zig() {
  zig=$sysroot/python/ziglang/zig
  [[ -x $zig ]] || zig=$(python3 -c 'import ziglang, os; print(os.path.dirname(ziglang.__file__) + "/zig")' 2>/dev/null) || zig=
  [[ -n $zig && $("$zig" version) == "$zig_version" ]]
}

missing_rustup() {
  local target lib
  command -v cargo rustc >/dev/null || { echo "cargo and rustc (https://rustup.rs)"; return; }
  for target in wasm32-unknown-unknown wasm32-wasip2; do
    lib=$(rustc --print target-libdir --target "$target" 2>/dev/null) && compgen -G "$lib/libstd-*.rlib" >/dev/null ||
      echo "target $target (rustup target add $target)"
  done
}

missing_debian() {
  [[ -x /usr/bin/rustc && -x /usr/bin/cargo && -d $(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library ]] ||
    echo "rustc, cargo and std's sources (apt-get install rustc-web cargo-web rust-web-src)"
  command -v wasm-ld-22 >/dev/null || echo "wasm-ld-22 (apt-get install lld-22)"
  find_zig || echo "zig $zig_version (pip install ziglang==$zig_version)"
}

usable() { [[ -z $(missing_"$1") ]]; }

choose() {
  local kind recorded=
  [[ $check == 0 || ! -f dist/TOOLCHAIN ]] || recorded=$(sed -n 's/^kind: //p' dist/TOOLCHAIN)
  for kind in ${TOOLCHAIN:-$recorded rustup debian}; do
    if usable "$kind"; then echo "$kind"; return; fi
  done
}

if [[ $install == 1 ]]; then
  wanted=${TOOLCHAIN:-$(sed -n 's/^kind: //p' dist/TOOLCHAIN 2>/dev/null || true)}
  command -v apt-get >/dev/null || wanted=rustup
  if [[ ${wanted:-debian} == rustup ]]; then
    usable rustup || rustup target add wasm32-unknown-unknown wasm32-wasip2 >&2
  elif ! usable debian; then
    { apt-get update -q && apt-get install -y -q "${packages[@]}"; } >&2
    find_zig || python3 -m pip install -q --target "$sysroot/python" "ziglang==$zig_version" >&2
  fi
fi

kind=$(choose)
if [[ -z $kind ]]; then
  say "build.sh: no toolchain is complete. Missing:"
  for kind in ${TOOLCHAIN:-rustup debian}; do
    missing_"$kind" | sed "s/^/  $kind: /" >&2
  done
  say "build.sh --install installs it."
  exit 2
fi

# --- How it is called ---

# The environment is for the guests' builds only: packing may build fumehood, with the toolchain of the repository.
rustc=rustc cargo=cargo std=() linked=() environment=()
if [[ $kind == debian ]]; then
  rustc=/usr/bin/rustc cargo=/usr/bin/cargo std=(-Zbuild-std=std,panic_abort)
  environment=(RUSTC_BOOTSTRAP=1 # -Zbuild-std
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-22 CARGO_TARGET_WASM32_WASIP2_LINKER=wasm-ld-22)
fi

# zig keeps wasi-libc as source and builds what a program needs: link one, and take what it made.
build_libc() {
  find_zig
  [[ ! -f $sysroot/crt1-reactor.o ]] || return 0
  say "building wasi-libc into $sysroot"
  local cache=$sysroot/cache library libc
  libc=$(dirname "$zig")/lib/libc/wasi/libc-bottom-half
  rm -rf "$cache" && mkdir -p "$cache"
  export ZIG_GLOBAL_CACHE_DIR=$cache ZIG_LOCAL_CACHE_DIR=$cache
  printf '#include <stdio.h>\nint main() { FILE *f = fopen("x", "r"); printf("%%p", (void *)f); }\n' >"$cache/all.c"
  "$zig" cc -target wasm32-wasi -O2 "$cache/all.c" -o "$cache/all.wasm"
  for library in libc.a libzigc.a libcompiler_rt.a; do
    cp "$(find "$cache/o" -name "$library" | head -1)" "$sysroot/"
  done
  "$zig" cc -target wasm32-wasi -O2 -I "$libc/headers/private" -c "$libc/crt/crt1-reactor.c" -o "$cache/crt1-reactor.o"
  mv "$cache/crt1-reactor.o" "$sysroot/" # last: it stands for all of them
}

# The same bytes in any folder: no path of this machine may reach a panic message.
remapped() {
  local folder sources
  printf -- '--remap-path-prefix=%s=/sample-tools\n' "$here"
  for folder in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do
    printf -- '--remap-path-prefix=%s=/registry\n' "${folder%/}"
  done
  sources=$("$rustc" --print sysroot)/lib/rustlib/src/rust
  [[ ! -d $sources ]] || printf -- '--remap-path-prefix=%s=/rust\n' "$sources" "$(realpath "$sources")"
}

# build TARGET PACKAGE…; what goes beyond the target's own flags is in `linked`.
build() {
  local target=$1 flags package packages=()
  shift
  for package in "$@"; do packages+=(-p "$package"); done
  mapfile -t flags < <(remapped)
  flags+=("${linked[@]}")
  env "${environment[@]}" RUSTC="$rustc" CARGO_TARGET_DIR="$here/target" CARGO_INCREMENTAL=0 \
    CARGO_ENCODED_RUSTFLAGS="$(IFS=$'\x1f' && printf '%s' "${flags[*]}")" \
    "$cargo" build --locked --release --target "$target" "${std[@]}" "${packages[@]}" >&2
}

toolchain() {
  echo "kind: $kind"
  echo "rustc: $("$rustc" --version)"
  if [[ $kind == debian ]]; then
    echo "wasm-ld: $(wasm-ld-22 --version)"
    # No digest of the archives: they hold the folder's name in debug information, which does not reach a component.
    echo "libc: wasi-libc of ziglang $zig_version, -O2"
  else
    echo "wasm-ld: rustc's own"
    echo "libc: rustc's own wasi-libc"
  fi
}

# --- Build, pack, compare ---

RUSTC=$rustc "$cargo" fetch --locked >&2
build wasm32-unknown-unknown "${bare[@]}" "${noop[@]}"
if [[ $kind == debian ]]; then
  build_libc
  # wasm-ld has no --start-group: the order of the libraries is the order in which they need each other.
  linked=(-C link-self-contained=no -L "native=$sysroot" -C "link-arg=$sysroot/crt1-reactor.o" -C link-arg=-lc
    -C link-arg=-lzigc -C link-arg=-lcompiler_rt)
fi
build wasm32-wasip2 "${wasi[@]}"

out=dist
[[ $check == 0 ]] || out=target/check
mkdir -p "$out"
pack() {
  local target=$1 tool
  shift
  for tool in "$@"; do
    # A tool on the kit says its manifest itself.
    local from=(--manifest "$here/$tool/manifest.json")
    [[ -f $here/$tool/manifest.json ]] || from=(--cargo "$here/$tool/Cargo.toml")
    "${fumehood[@]}" pack "$here/target/$target/release/${tool//-/_}.wasm" "${from[@]}" -o "$here/$out/$tool.wasm" >&2
  done
}

# What the kit may cost: a tenth of the least tool on bare bindings, both packed, under the one manifest of the first.
weigh() {
  local built=$here/target/wasm32-unknown-unknown/release scratch=$here/target/noop
  mkdir -p "$scratch"
  "${fumehood[@]}" pack "$built/noop_kit.wasm" -o "$scratch/kit.wasm" >&2
  "${fumehood[@]}" pack "$built/noop_raw.wasm" --manifest "$here/noop/manifest.json" -o "$scratch/raw.wasm" >&2
  local kit raw
  kit=$(stat -c %s "$scratch/kit.wasm") raw=$(stat -c %s "$scratch/raw.wasm")
  say "the least tool: $kit bytes on the kit, $raw on bare bindings"
  if ((kit * 10 > raw * 11)); then
    say "build.sh: that is over 1.1 times as large; see wit/bindings/rust/README.md"
    exit 1
  fi
}
fumehood=("${FUMEHOOD:-}")
[[ -n ${FUMEHOOD:-} ]] || fumehood=(cargo run -q --manifest-path "$here/../Cargo.toml" -p fumehood --)
weigh
pack wasm32-unknown-unknown "${bare[@]}"
pack wasm32-wasip2 "${wasi[@]}"
toolchain >"$out/TOOLCHAIN"

if [[ $check == 0 ]]; then
  say "built with $kind into $here/dist"
elif ! cmp -s dist/TOOLCHAIN "$out/TOOLCHAIN"; then
  say "dist/ was built with another toolchain, so its bytes are not compared:"
  diff dist/TOOLCHAIN "$out/TOOLCHAIN" >&2 || true
  say "Run the golden cases on what was built here:"
  printf '%s\n' "$here/$out"
else
  differ=0
  for tool in "${bare[@]}" "${wasi[@]}"; do
    cmp "dist/$tool.wasm" "$out/$tool.wasm" >&2 || differ=1
  done
  if [[ $differ == 1 ]]; then
    say "dist/ is not what these sources build to; run build.sh and commit dist/"
    exit 1
  fi
  say "dist/ is what these sources build to, byte for byte"
fi
