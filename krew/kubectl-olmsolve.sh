#!/bin/sh
# kubectl olmsolve, as krew installs it: the program comes from PyPI, by uv or pipx, the first time that it runs.
# krew checks the digest of this script, which therefore names its own release.
what='olmsolve[live,images,cli]==0.2.0'
if command -v uvx >/dev/null 2>&1; then exec uvx --quiet --from "$what" kubectl-olmsolve "$@"; fi
if command -v pipx >/dev/null 2>&1; then exec pipx run --spec "$what" kubectl-olmsolve "$@"; fi
echo "kubectl olmsolve needs uv or pipx, which fetch it from PyPI; or: pip install '$what'" >&2
exit 2
