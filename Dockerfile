# Lamina as a container, with the drivers for PostgreSQL and Redis. Data of the embedded default lies in /data.
FROM node:24-slim
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund && npm install --no-save --no-audit --no-fund pg@8 @redis/client@6
COPY bin bin
COPY sql sql
COPY src src
RUN mkdir /data && chown node:node /data
USER node
ENV LAMINA_DATABASE_URL=sqlite:/data
EXPOSE 8787
CMD ["node", "bin/lamina.js", "serve"]
