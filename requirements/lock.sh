#!/usr/bin/env bash
# Writes cpu.lock and gpu.lock from the pins in pyproject.toml. What is locked already stays, where it still fits;
# `requirements/lock.sh --upgrade` takes the newest of everything that pyproject.toml leaves open.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet uv

# lock NAME [UV OPTIONS]: the resolution for Linux x86_64 and Python 3.11, one `name==version` a line.
lock() {
    local name=$1
    shift
    [ ! -f "requirements/$name.lock" ] || cp "requirements/$name.lock" "$scratch/$name.lock"
    "$scratch/venv/bin/uv" pip compile pyproject.toml --quiet --no-header --no-annotate --no-emit-index-url \
        --python-version 3.11 --python-platform x86_64-manylinux_2_28 --output-file "$scratch/$name.lock" "$@"
    # A local version such as +cpu exists in one index only.
    sed -i -E 's/\+[A-Za-z0-9.]+$//' "$scratch/$name.lock"
}

lock cpu --extra dev --extra tasks --extra eval "$@"
# CUDA libraries come with torch's CUDA build, which pins them itself, and are absent beside its CPU build.
sed -i -E '/^(nvidia-|cuda-|triton==)/d' "$scratch/cpu.lock"
# One set of versions: what both environments hold is the same in both.
lock gpu --extra gpu --constraint "$scratch/cpu.lock" "$@"

for name in cpu gpu; do
    cp "$scratch/$name.lock" "requirements/$name.lock"
    echo "requirements/$name.lock: $(wc -l <"requirements/$name.lock") packages"
done
