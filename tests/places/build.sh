#!/usr/bin/env bash
# Builds places.wasm from its source, with the packages rustc-web, cargo-web, rust-web-src and lld-22 of Debian, and packs it.
#
#   build.sh           build, and write places.wasm
#   build.sh --check   build, and compare with places.wasm, byte for byte
#
# Environment: FUMEHOOD, the fumehood to pack with; CARGO_HOME and CARGO_TARGET_DIR as usual.
#
# Exit status: 0 done, 1 a build failed or --check found a difference, 2 an option is unknown.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

case ${1:-} in
  '' | --check) ;;
  *) echo "build.sh: unknown option $1; there is --check" >&2; exit 2 ;;
esac

# The same bytes in any folder, and no path of a machine in them.
flags=("--remap-path-prefix=$PWD=/vendor/places")
for folder in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do
  flags+=("--remap-path-prefix=${folder%/}=/registry")
done
sources=$(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust
flags+=("--remap-path-prefix=$sources=/rust" "--remap-path-prefix=$(realpath "$sources")=/rust")

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../../target/places}
RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc CARGO_INCREMENTAL=0 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-22 \
  CARGO_ENCODED_RUSTFLAGS="$(IFS=$'\x1f' && printf '%s' "${flags[*]}")" \
  /usr/bin/cargo build --locked --target wasm32-unknown-unknown -Zbuild-std=std,panic_abort >&2

fumehood=("${FUMEHOOD:-}")
[[ -n ${FUMEHOOD:-} ]] || fumehood=(cargo run -q --manifest-path ../../Cargo.toml -p fumehood --)
built=$CARGO_TARGET_DIR/wasm32-unknown-unknown/debug/places.wasm
if [[ ${1:-} == --check ]]; then
  "${fumehood[@]}" pack "$built" --manifest manifest.json --debug -o "$CARGO_TARGET_DIR/places.wasm" >&2
  cmp places.wasm "$CARGO_TARGET_DIR/places.wasm" || { echo "places.wasm is not what its source builds to; run build.sh" >&2; exit 1; }
else
  "${fumehood[@]}" pack "$built" --manifest manifest.json --debug -o places.wasm >&2
fi
