#!/bin/sh
# kubectl olmsolve, as krew installs it: the program comes from PyPI, by uv or pipx, the first time that it runs.
what='olmsolve[live,images,cli]'
if command -v uvx >/dev/null 2>&1; then exec uvx --quiet --from "$what" kubectl-olmsolve "$@"; fi
if command -v pipx >/dev/null 2>&1; then exec pipx run --spec "$what" kubectl-olmsolve "$@"; fi
echo "kubectl olmsolve needs uv or pipx, which fetch it from PyPI; or: pip install '$what'" >&2
exit 2
