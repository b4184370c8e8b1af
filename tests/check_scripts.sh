#!/bin/sh
# Lint, layout and types of the page's scripts, by npm; without it they are left out, and that is said.
set -eu
cd "$(dirname "$0")/.."
if ! command -v npm >/dev/null 2>&1; then
  echo "The page's scripts were not checked: npm is not here (they need none to run)."
  exit 0
fi
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  if ! npm ci --silent --no-audit --no-fund; then
    echo "The page's scripts were not checked: npm could not fetch the checkers of package.json."
    exit 0
  fi
fi
exec npm run --silent check
