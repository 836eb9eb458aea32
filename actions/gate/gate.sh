#!/usr/bin/env bash
# Compare the clusters without and with the change of a pull request, deletions included, and write the report.
# The environment is that of action.yml; CLUSTERS, CHANGE and CATALOG have one entry on each line.
set -euo pipefail

report="$RUNNER_TEMP/gate.md"
arguments=(--fail-on "$FAIL_ON" --workers "$WORKERS")
lines() { # adds each line of $2 as a value of the option $1
  while IFS= read -r line; do
    if [ -n "$line" ]; then arguments+=("$1" "$line"); fi
  done <<<"$2"
}
lines --clusters "$CLUSTERS"
lines --change "$CHANGE"
lines --catalog "$CATALOG"
if [ -n "$BASE" ]; then
  # What only the branch that is merged into has is deleted.
  git fetch --quiet --depth 1 origin "$BASE"
  arguments+=(--git-range "$BASE")
fi

code=0
olmsolve impact "${arguments[@]}" --output markdown >"$RUNNER_TEMP/whole.md" 2>"$RUNNER_TEMP/errors" || code=$?
cat "$RUNNER_TEMP/errors" >&2
if [ "$code" -gt 1 ]; then
  # Indented text ends with its indentation: nothing in a message can be markup, or mention somebody.
  { printf 'The change cannot be applied:\n\n' && sed 's/^/    /' "$RUNNER_TEMP/errors"; } >"$RUNNER_TEMP/whole.md"
fi

# A comment may have 65,536 characters.
head -c 60000 "$RUNNER_TEMP/whole.md" | iconv -c -f utf-8 -t utf-8 >"$report"
if [ "$(wc -c <"$RUNNER_TEMP/whole.md")" -gt 60000 ]; then
  printf '\n\nThe rest is in the log of the check.\n' >>"$report"
  cat "$RUNNER_TEMP/whole.md"
fi
cat "$report" >>"$GITHUB_STEP_SUMMARY"
{
  echo "code=$code"
  echo "report=$report"
} >>"$GITHUB_OUTPUT"
