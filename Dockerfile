# Lamina as a container: not root, a read-only root file system is enough, data in /data. It listens on every address and so
# wants authentication: give it LAMINA_JWT_SECRET or LAMINA_JWKS_URL. See docs/deployment.md.
# For encryption at rest mount the master key, as a file of user 1000 with mode 0600, and name it in LAMINA_MASTER_KEY_FILE.
#   docker build -t lamina:0.1.0 .
#   docker run -e LAMINA_JWT_SECRET -v lamina-data:/data -p 127.0.0.1:8787:8787 --read-only --tmpfs /tmp lamina:0.1.0

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Without scripts: nothing is built yet, and native parts come prebuilt.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY scripts scripts
COPY sql sql
COPY inspector inspector
COPY src src
RUN node node_modules/typescript/bin/tsc -p tsconfig.build.json && node scripts/build-inspector.ts

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The runtime of the model comes for three systems; this one is enough.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/onnxruntime-node/bin/napi-v3/darwin node_modules/onnxruntime-node/bin/napi-v3/win32
# Optional peers, in the versions that the tests use. Node finds them one folder up, in /node_modules.
RUN npm install --prefix /drivers --ignore-scripts --no-audit --no-fund \
  pg@8.23.1 \
  @redis/client@6.3.1 \
  @qdrant/js-client-rest@1.19.0 \
  @opentelemetry/sdk-trace@3.1.1 \
  @opentelemetry/exporter-trace-otlp-http@0.301.0

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Lamina" \
  org.opencontainers.image.description="Layered memory for AI agents" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="Apache-2.0"
# Nothing is installed at run time.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/yarn /usr/local/bin/yarnpkg \
  && install -d -o node -g node /data
WORKDIR /app
COPY --from=dependencies /drivers/node_modules /node_modules
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY bin bin
COPY sql sql
ENV NODE_ENV=production \
  LAMINA_HOST=0.0.0.0 \
  LAMINA_AUTH=jwt \
  LAMINA_DATABASE_URL=sqlite:/data \
  XDG_CACHE_HOME=/tmp/cache
# The user node of the image. As a number, so that Kubernetes can see that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.LAMINA_PORT || 8787) + '/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Signals reach Lamina itself: no shell stands in between.
ENTRYPOINT ["node", "/app/bin/lamina.js"]
CMD ["serve"]
