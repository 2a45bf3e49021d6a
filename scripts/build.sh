#!/usr/bin/env bash
# Compiles src/ to dist/ and copies what is not TypeScript beside it.
set -euo pipefail
cd "$(dirname "$0")/.."
rm -rf dist
npx tsc -p tsconfig.build.json
(cd src && find . -type f \( -name '*.sql' -o -name '*.py' -o -name '*.mjs' -o -name '*.css' \) -print0 | xargs -0 -I{} cp --parents {} ../dist/)
echo "built dist/; start it with: npm start"
