#!/usr/bin/env bash
# Compiles the fork server's two small programs into graders/forkserver/bin; needs gcc and libc6-dev.
set -euo pipefail
cd "$(dirname "$0")/../graders/forkserver"
mkdir -p bin
gcc -O2 -Wall -Wextra -Werror -shared -fPIC -DLIBRARY -o bin/libsandbox.so sandbox.c
gcc -O2 -Wall -Wextra -Werror -o bin/launcher sandbox.c
