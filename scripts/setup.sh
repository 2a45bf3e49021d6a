#!/usr/bin/env bash
# Brings a fresh Debian (or Ubuntu) machine to where `npm run demo` and `npm test` work. May be run again at any time.
#   --quiet   say nothing when there is nothing to do
#   --server  also PostgreSQL, Redis and a library that moves a clock, for the tests of several processes and of both databases
#   --toolchains  also Go, Rust and Debian's Node: for the fixtures that are graded by their test runners
#   --fork-server  also a C compiler, for the fork server
#   --docker  also a Docker engine, for PROCTOR_SANDBOX_DRIVER=docker and its tests; it is not started here
#   --compat  also what the suites of `npm run compat` import, pip to fetch them, and RPyC for `npm run bench -- split`
#   --e2e  also Chromium, for `npm run e2e`
#   --bench  also scikit-learn, whose detectors `npm run bench -- profile` measures beside ours
set -euo pipefail
cd "$(dirname "$0")/.."
exec >&2 # standard output belongs to the command that this prepares for

quiet=no
packages=(python3 python3-pytest perl-base bubblewrap util-linux strace nftables iproute2 openssl)
for argument in "$@"; do
  case "$argument" in
    --quiet) quiet=yes ;;
    --server) packages+=(postgresql redis-server faketime) ;;
    --fork-server) packages+=(gcc libc6-dev) ;;
    --docker) packages+=(docker.io iptables) ;;
    --toolchains)
      packages+=(golang-go cargo rustc gcc libc6-dev)
      [ -x /usr/bin/node ] || packages+=(nodejs) # sandboxes do not see /usr/local
      ;;
    --compat) packages+=(python3-six python3-freezegun python3-packaging python3-pip python3-rpyc) ;;
    --e2e) packages+=(chromium fonts-dejavu-core) ;;
    --bench) packages+=(python3-sklearn) ;;
    *) echo "setup: unknown option $argument (known: --quiet, --server, --fork-server, --docker, --compat, --toolchains, --bench, --e2e)"; exit 2 ;;
  esac
done
say() { [ "$quiet" = yes ] || echo "setup: $*"; }

if ! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'; then
  echo "setup: Node 20.19 or newer is needed (found: $(node --version 2>/dev/null || echo none))."
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  line="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  if ! command -v apt-get >/dev/null; then
    echo "setup: install with your package manager, then run this again: ${missing[*]}"
    exit 1
  elif [ "$(id -u)" = 0 ]; then
    echo "setup: installing ${missing[*]}"
    (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}") >/dev/null
  elif sudo -n true 2>/dev/null; then
    echo "setup: installing ${missing[*]} with sudo"
    sudo sh -c "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${missing[*]}" >/dev/null
  else
    echo "setup: system packages are missing. Run this line, then start again:"
    echo "  sudo sh -c '$line'"
    exit 1
  fi
else
  say "system packages are there: ${packages[*]}"
fi

# npm writes this file last, so it is newer than the lock when the installation is whole
if [ node_modules/.package-lock.json -nt package-lock.json ]; then
  say "npm packages are there"
else
  echo "setup: npm ci"
  npm ci --no-audit --no-fund --loglevel=error
  touch node_modules/.package-lock.json
fi
# the fork server's two small programs; without a compiler sandboxes are made by bubblewrap
fork=graders/forkserver
if [ "$fork/bin/launcher" -nt "$fork/sandbox.c" ] && [ "$fork/bin/libsandbox.so" -nt "$fork/sandbox.c" ]; then
  say "the fork server is compiled"
elif command -v gcc >/dev/null; then
  echo "setup: compiling the fork server"
  bash scripts/build-forkserver.sh
else
  say "no gcc, so no fork server: sandboxes are made by bubblewrap. For it: bash scripts/setup.sh --fork-server"
fi

say "done. Next: npm run demo, or npm test"
