#!/bin/bash
# Of the image that local-images.sh makes: what of the official image's settings docker-compose.yml uses.
set -euo pipefail
data=/var/lib/postgresql/data/pgdata
if [ ! -e "$data/PG_VERSION" ]; then
  initdb -D "$data" -U "$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth=scram-sha-256 -E UTF8 --locale=C >/dev/null
  echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
  pg_ctl -D "$data" -w -o '-c listen_addresses= -c unix_socket_directories=/tmp' start >/dev/null
  PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE") createdb -h /tmp -U "$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl -D "$data" -w stop >/dev/null
fi
exec postgres -D "$data" -c listen_addresses='*' -c unix_socket_directories=/tmp
