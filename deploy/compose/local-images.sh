#!/usr/bin/env bash
# Makes the base images that docker-compose.yml otherwise pulls, where no registry can be reached: Debian 12 by mmdebstrap with
# this machine's Node, with Debian's PostgreSQL, and with Debian's Redis. Needs root, mmdebstrap and a Docker engine. Then:
#   export NODE_IMAGE=proctor-base/node POSTGRES_IMAGE=proctor-base/postgres REDIS_IMAGE=proctor-base/redis
#   docker-compose up --build
set -euo pipefail
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

debian() { # NAME PACKAGES: a tree in $scratch/NAME
  mmdebstrap --quiet --variant=minbase --include="$2" bookworm "$scratch/$1" >&2
}
import() { # NAME CHANGE...
  local changes=() name=$1
  shift
  for change in "$@"; do changes+=(--change "$change"); done
  tar --numeric-owner -C "$scratch/$name" -c . | docker import "${changes[@]}" - "proctor-base/$name" >/dev/null
  rm -rf "${scratch:?}/$name"
  echo "made proctor-base/$name"
}

node=$(readlink -f "$(command -v node)")
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
debian node ca-certificates
install -D "$node" "$scratch/node/usr/local/bin/node"
mkdir -p "$scratch/node/usr/local/lib/node_modules"
cp -r "$npm" "$scratch/node/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$scratch/node/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$scratch/node/usr/local/bin/npx"
# whom this machine trusts, where it reaches the npm registry through somebody
install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$scratch/node/etc/ssl/certs/ca-certificates.crt"
import node 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
  'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' 'CMD ["node"]'

debian postgres postgresql
chroot "$scratch/postgres" install -d -o postgres -g postgres /var/lib/postgresql/data
install -m 755 postgres-entrypoint.sh "$scratch/postgres/usr/local/bin/entrypoint.sh"
import postgres 'ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin' 'USER postgres' \
  'VOLUME /var/lib/postgresql/data' 'ENTRYPOINT ["/usr/local/bin/entrypoint.sh"]'

debian redis redis-server
import redis 'ENV PATH=/usr/local/bin:/usr/bin:/bin' 'USER redis' 'WORKDIR /var/lib/redis' 'CMD ["redis-server"]'
