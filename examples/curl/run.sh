#!/usr/bin/env bash
# Memory with nothing but curl: add, search, change, conflict, working memory, a turn's prompt, forget. Each answer is checked.
# Speaks to the service at LAMINA_URL, or to one of its own in a folder that is gone afterwards.
set -euo pipefail

service=
folder=$(mktemp -d)
touch "$folder/log"
cleanup() {
  [[ -z "$service" ]] || { kill "$service" && wait "$service"; } 2>/dev/null || true
  rm -rf "$folder"
}
trap cleanup EXIT

# In a project of yours: npx lamina serve
if [[ -z "${LAMINA_URL:-}" ]]; then
  root=$(cd "$(dirname "$0")/../.." && pwd)
  PATH="$root/node_modules/.bin:$PATH" node "$root/bin/lamina.js" serve --port 0 --database-url "sqlite:$folder/data" >"$folder/log" 2>&1 &
  service=$!
  for _ in {1..300}; do
    LAMINA_URL=$(grep -o 'listening at http://[0-9.:]*' "$folder/log" | grep -o 'http.*' || true)
    [[ -z "$LAMINA_URL" ]] || break
    kill -0 "$service" 2>/dev/null || break
    sleep 0.1
  done
  [[ -n "$LAMINA_URL" ]] || { echo 'lamina serve did not start:' && cat "$folder/log"; exit 1; } >&2
fi

# ask STATUS METHOD PATH [BODY [HEADER]]: the body of the answer is in $answer, and its status is the one that was expected.
ask() {
  local expected=$1 method=$2 path=$3 body=${4:-} header=${5:-}
  local arguments=(-sS -X "$method" -H 'X-User-ID: ada' -w '\n%{http_code}')
  [[ -z "$body" ]] || arguments+=(-H 'Content-Type: application/json' -d "$body")
  [[ -z "$header" ]] || arguments+=(-H "$header")
  answer=$(curl "${arguments[@]}" "$LAMINA_URL$path")
  local status=${answer##*$'\n'}
  answer=${answer%$'\n'*}
  echo "$method $path -> $status"
  [[ "$status" == "$expected" ]] || { echo "Expected $expected: $answer" >&2; exit 1; }
}

# says TEXT: the answer contains it.
says() {
  [[ "$answer" == *"$1"* ]] || { echo "Expected $1 in: $answer" >&2; exit 1; }
}

# field NAME: the first text or number of that name in the answer. With jq: jq -r '..|.NAME? // empty'
field() {
  grep -o "\"$1\":\"\?[^\",}]*" <<<"$answer" | head -1 | sed 's/.*:"\{0,1\}//'
}

ask 200 GET /ready

ask 201 POST /v1/memory/entries '{"content": "Ada prefers tea to coffee", "layer": "user", "tags": ["drinks"]}'
says '"status":"created"'
id=$(field id)

# The same again is known already, so that a request can be repeated.
ask 201 POST /v1/memory/entries '{"content": "Ada prefers tea to coffee", "layer": "user", "tags": ["drinks"]}'
says '"status":"unchanged"'

ask 200 POST /v1/memory/entries/search '{"query": "What does she like to drink?", "threshold": 0.1}'
says 'Ada prefers tea to coffee'

# A change names the version that it was made from. Whoever comes second is told.
ask 200 GET "/v1/memory/entries/$id"
version=$(field version)
ask 200 PATCH "/v1/memory/entries/$id" '{"content": "Ada prefers green tea"}' "If-Match: $version"
ask 409 PATCH "/v1/memory/entries/$id" '{"content": "Ada prefers cocoa"}' "If-Match: $version"
says '"code":"VERSION_CONFLICT"'

# A mistake is answered with what to do about it.
ask 400 POST /v1/memory/entries '{"content": "?", "layer": "planet"}'
says 'Layers are: agent, user, session, project, team, org, company.'

# What several agents share while a plan lasts.
ask 200 PUT /v1/memory/working/plan-1/guests '{"value": {"count": 4}}'
ask 200 GET /v1/memory/working/plan-1/guests
says '"count":4'

# What a model should know before it answers.
ask 200 POST /v1/memory/turn-context '{"message": "What tea should I serve?"}'
says 'Ada prefers green tea'

ask 200 POST /v1/memory/entries/forget '{"layer": "user", "filter": {"tags": ["drinks"]}}'
says '"deleted_count":1'
ask 404 GET "/v1/memory/entries/$id"

echo 'Everything was as expected.'
