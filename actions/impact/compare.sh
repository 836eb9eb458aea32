#!/usr/bin/env bash
# Compare the clusters with the old catalogs and with the new ones, and write the report in every form.
# The environment is that of action.yml; CATALOG, BEFORE and CLUSTERS have one entry on each line.
set -euo pipefail

report="$RUNNER_TEMP/impact"
mkdir -p "$report"
arguments=(--fail-on "$FAIL_ON" --workers "$WORKERS")
if [ -n "$OPENSHIFT" ]; then arguments+=(--openshift "$OPENSHIFT"); fi

while IFS= read -r line; do
  if [ -n "$line" ]; then arguments+=(--clusters "$line"); fi
done <<<"$CLUSTERS"
while IFS= read -r line; do
  if [ -n "$line" ]; then arguments+=(--catalog "$line"); fi
done <<<"$CATALOG"

if [ -z "$BEFORE" ]; then
  # The old catalogs are those of the branch that is merged into. A catalog that is new there has no old content.
  old="$RUNNER_TEMP/before"
  git fetch --quiet --depth 1 origin "$BASE"
  git worktree add --quiet --detach "$old" "$BASE"
  while IFS= read -r line; do
    if [ -n "$line" ] && [ -e "$old/${line#*=}" ]; then BEFORE+="${line%%=*}=$old/${line#*=}"$'\n'; fi
  done <<<"$CATALOG"
fi
while IFS= read -r line; do
  if [ -n "$line" ]; then arguments+=(--before "$line"); fi
done <<<"$BEFORE"

# The work is done once: the state file has it for the other two forms.
state="$RUNNER_TEMP/impact.state"
code=0
olmsolve impact "${arguments[@]}" --resume "$state" --output markdown >"$report/impact.md" || code=$?
if [ "$code" -gt 1 ]; then exit "$code"; fi
olmsolve impact "${arguments[@]}" --resume "$state" --output json >"$report/impact.json" || true
olmsolve impact "${arguments[@]}" --resume "$state" --output html >"$report/impact.html" || true

# A comment may have 65,536 characters.
head -c 60000 "$report/impact.md" | iconv -c -f utf-8 -t utf-8 >"$report/comment.md"
if [ "$(wc -c <"$report/impact.md")" -gt 60000 ]; then
  printf '\n\nThe rest is in the files of the check.\n' >>"$report/comment.md"
fi
cat "$report/comment.md" >>"$GITHUB_STEP_SUMMARY"
{
  echo "code=$code"
  echo "report=$report"
} >>"$GITHUB_OUTPUT"
