#!/usr/bin/env bash
# Install the olmsolve that this action was pinned with: its own code, and requirements whose hashes it has.
# VERSION, if it is not empty, is what pip installs in its place, from an index and without hashes.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
pip() { python -m pip --disable-pip-version-check install --quiet "$@"; }
if [ -n "${VERSION:-}" ]; then
  pip -- "$VERSION"
else
  pip --require-hashes --no-deps --only-binary :all: --requirement "$here/requirements.txt"
  # What builds it is there by now: nothing else is fetched. The folder of an action may not be written to.
  source=$(mktemp -d)
  cp -R "$here/../olmsolve" "$here/../pyproject.toml" "$here/../README.md" "$here/../CHANGELOG.md" "$here/../LICENSE" "$source"
  pip --no-deps --no-build-isolation --no-index "$source"
  rm -rf "$source"
fi
