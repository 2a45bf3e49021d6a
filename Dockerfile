# One image for the API, workers and the reaper. NODE_IMAGE is any Debian 12 with Node 20 or newer in it; where no registry
# can be reached, deploy/compose/local-images.sh makes one.
ARG NODE_IMAGE=node:20-bookworm-slim

FROM ${NODE_IMAGE} AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends gcc libc6-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /proctor
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
COPY graders graders
RUN bash scripts/build.sh && bash scripts/build-forkserver.sh && npm prune --omit=dev --no-audit --no-fund

FROM ${NODE_IMAGE}
# what sandboxes are made with, and what graders run in them
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap iproute2 mount nftables perl-base python3 python3-pytest strace util-linux \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --system --gid 10001 proctor \
 && useradd --system --uid 10001 --gid 10001 --no-create-home proctor \
 && install -d -o proctor -g proctor /data
WORKDIR /proctor
COPY package.json ./
COPY --from=build /proctor/node_modules node_modules
COPY --from=build /proctor/dist dist
COPY --from=build /proctor/graders graders
COPY policies policies
ENV NODE_ENV=production PROCTOR_DATA_DIR=/data PROCTOR_HOST=0.0.0.0
USER proctor
EXPOSE 8787
ENTRYPOINT ["node", "/proctor/dist/bin/proctor.js"]
CMD ["serve", "--api-only"]
