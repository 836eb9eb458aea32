#!/usr/bin/env bash
# Validate the catalogs: annotations on standard output, a summary, and the report in SARIF where one is wanted.
# The environment is that of action.yml; CATALOGS and IGNORE have one entry on each line.
set -euo pipefail

paths=()
while IFS= read -r line; do
  if [ -n "$line" ]; then paths+=("$line"); fi
done <<<"$CATALOGS"
arguments=(--level "$LEVEL")
if [ "$STRICT" = true ]; then arguments+=(--strict); fi
while IFS= read -r line; do
  if [ -n "$line" ]; then arguments+=(--ignore "$line"); fi
done <<<"$IGNORE"

code=0
olmsolve validate "${arguments[@]}" --output github -- "${paths[@]}" || code=$?
if [ "$code" -le 1 ]; then
  if [ -n "$SARIF" ]; then
    olmsolve validate "${arguments[@]}" --output sarif -- "${paths[@]}" >"$SARIF" || true
  fi
  # Indented text ends with its indentation: nothing in a message can be markup.
  { olmsolve validate "${arguments[@]}" -- "${paths[@]}" || true; } | sed 's/^/    /' | head -c 60000 >>"$GITHUB_STEP_SUMMARY" || true
fi
echo "code=$code" >>"$GITHUB_OUTPUT"
