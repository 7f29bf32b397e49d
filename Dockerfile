# The version of Node that npm installs on other machines. The first stage compiles, the second runs.
FROM node:24.21.0-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY projections ./projections
COPY src ./src
# The optional packages are Node itself, for machines that have an older one.
RUN npm run build && npm prune --ignore-scripts --omit=dev --omit=optional --no-audit --no-fund

FROM node:24.21.0-trixie-slim
# Not pinned: Debian drops superseded versions from its archive. The release is that of the image's tag.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends tini && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=node --group=node --mode=0700 /data \
  && ln -s /app/bin/flow-hooks.js /usr/local/bin/flow-hooks
ENV NODE_ENV=production DATA_DIR=/data PORT=3000
WORKDIR /app
COPY package.json llms.txt ./
COPY assets ./assets
COPY docs ./docs
COPY bin ./bin
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# Last of the layers: they differ in each release. The release workflow names the commit and its repository.
ARG VERSION=unreleased
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="Flow Hooks" \
  org.opencontainers.image.description="The back end behind an app on an automation platform" \
  org.opencontainers.image.version=$VERSION \
  org.opencontainers.image.revision=$REVISION \
  org.opencontainers.image.source=$SOURCE \
  org.opencontainers.image.base.name="docker.io/library/node:24.21.0-trixie-slim"
# `node`, as a number: an orchestrator can see that it is not root.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=5 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# tini passes signals on and reaps what `docker exec` leaves behind.
ENTRYPOINT ["tini", "--", "node", "dist/src/main.js"]
