#!/usr/bin/env bash
# Makes the secrets that docker-compose.yml names, once: what is there stays. Keep a copy of signing_key.pem apart.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p secrets
chmod 700 secrets
umask 077
missing() { [ ! -e "secrets/$1" ]; }
if missing postgres_password; then openssl rand -hex 24 >secrets/postgres_password; fi
if missing database_url; then
  echo "postgres://proctor:$(cat secrets/postgres_password)@postgres:5432/proctor" >secrets/database_url
fi
if missing redis_url; then echo "redis://redis:6379" >secrets/redis_url; fi
if missing signing_key.pem; then openssl genpkey -algorithm ed25519 -out secrets/signing_key.pem; fi
# compose shows files as they are here: programs of several users read them, and nobody else gets into the folder
chmod 644 secrets/*
if [ "$(id -u)" = 0 ]; then
  chgrp 10001 secrets/signing_key.pem # the user of the API's containers
  chmod 640 secrets/signing_key.pem
fi
echo "secrets are in deploy/compose/secrets"
