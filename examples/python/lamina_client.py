"""Lamina over HTTP, with nothing but the standard library. Copy this file into a project of yours.

    memory = LaminaClient("http://127.0.0.1:8787", user="ada")
    memory.add("Ada prefers tea to coffee", layer="user")
    memory.search("What does she drink?")["results"]

Answers are the JSON of the service, as dictionaries in snake_case. Failures are a LaminaError.
"""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any

Json = dict[str, Any]

# Seconds. What a service asks for beyond that is for the caller to wait.
LONGEST_WAIT = 30.0


class LaminaError(Exception):
    """What the service refused or failed at. Codes are stable; messages say what to do, and may change."""

    def __init__(self, code: str, message: str, *, status: int = 0, answer: Json | None = None) -> None:
        super().__init__(f"{code}: {message}")
        answer = answer or {}
        self.code = code
        self.message = message
        self.status = status
        self.retryable = bool(answer.get("retryable", status in (0, 502, 503, 504)))
        self.operation: str | None = answer.get("operation")
        self.details: Json = answer.get("details") or {}
        self.request_id: str | None = answer.get("request_id")
        self.retry_after: float = 0.0


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would show the credential to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


class LaminaClient:
    """Memory of one user. Tries again where that can help and does no harm."""

    def __init__(
        self,
        url: str,
        *,
        user: str | None = None,
        agent: str | None = None,
        tenant: str | None = None,
        token: str | None = None,
        timeout: float = 30.0,
        attempts: int = 3,
        delay: float = 1.0,
    ) -> None:
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ValueError("url must be like http://127.0.0.1:8787")
        self._url = url.rstrip("/")
        self._timeout, self._attempts, self._delay = timeout, attempts, delay
        said = {"X-User-ID": user, "X-Agent-ID": agent, "X-Tenant-ID": tenant}
        self._headers = {name: urllib.parse.quote(value, safe="") for name, value in said.items() if value}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        # No proxy of the environment: memory is not for others to read on its way.
        self._opener = urllib.request.build_opener(_NoRedirects, urllib.request.ProxyHandler({}))

    # Entries

    def add(self, content: str, *, layer: str, **fields: Any) -> Json:
        """Remembers a text. The same again is `unchanged`; an episode gets its id here, so that it is stored once too."""
        if fields.get("kind") == "episodic" and not fields.get("external_id"):
            fields.setdefault("id", str(uuid.uuid4()))
        return self.call("POST", "/v1/memory/entries", {"content": content, "layer": layer, **fields})

    def search(self, query: str, **fields: Any) -> Json:
        """`results` has the best first, each with its `memory`, `score` and `layer`."""
        return self.call("POST", "/v1/memory/entries/search", {"query": query, **fields})

    def get(self, memory_id: str) -> Json | None:
        """None where there is no such memory, or none that you may see."""
        try:
            return self.call("GET", f"/v1/memory/entries/{_segment(memory_id)}")
        except LaminaError as error:
            if error.code == "MEMORY_NOT_FOUND":
                return None
            raise

    def update(self, memory_id: str, *, if_version: int | None = None, **fields: Any) -> Json:
        """With `if_version` only if nobody was faster, else VERSION_CONFLICT."""
        headers = {} if if_version is None else {"If-Match": str(if_version)}
        # By its version a second attempt would look like somebody else's change.
        repeatable = if_version is None
        path = f"/v1/memory/entries/{_segment(memory_id)}"
        return self.call("PATCH", path, fields, headers=headers, repeatable=repeatable)

    def forget(self, **conditions: Any) -> int:
        """Deletes all memories that meet every condition, for good. Answers how many."""
        return int(self.call("POST", "/v1/memory/entries/forget", conditions)["deleted_count"])

    # Working memory of a plan

    def set_state(self, plan: str, key: str, value: Any) -> Json:
        return self.call("PUT", f"/v1/memory/working/{_segment(plan)}/{_segment(key)}", {"value": value})

    def get_state(self, plan: str, key: str, default: Any = None) -> Any:
        try:
            return self.call("GET", f"/v1/memory/working/{_segment(plan)}/{_segment(key)}")["value"]
        except LaminaError as error:
            # A wrong url is NOT_FOUND as well, and must not look like an empty memory.
            if error.code == "NOT_FOUND" and error.operation == "working.get":
                return default
            raise

    # Turns

    def turn_context(self, message: str, **fields: Any) -> Json:
        """What a model should know before it answers: `prompt` ends with the message."""
        return self.call("POST", "/v1/memory/turn-context", {"message": message, **fields})

    # Everything else that the service can do

    def call(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        *,
        headers: Json | None = None,
        repeatable: bool = True,
    ) -> Json:
        """One operation, by its method and path. Say `repeatable=False` for what must not happen twice."""
        attempt = 1
        while True:
            try:
                return self._send(method, path, body, headers or {})
            except LaminaError as error:
                if not (error.retryable and repeatable and attempt < self._attempts):
                    raise
                if error.retry_after > LONGEST_WAIT:
                    raise
                pause = self._delay * 2 ** (attempt - 1) * random.uniform(0.5, 1.0)
                time.sleep(max(pause, error.retry_after))
                attempt += 1

    def _send(self, method: str, path: str, body: Json | None, headers: Json) -> Json:
        request = urllib.request.Request(self._url + path, method=method, headers={**self._headers, **headers})
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return _parse(response.read(), response.status)
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise _error_of(refusal) from None
        except (OSError, http.client.HTTPException) as cause:
            raise LaminaError("UNAVAILABLE", f"The service cannot be reached: {cause}") from cause


def _segment(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def _parse(text: bytes, status: int) -> Json:
    if status == 204:
        return {}
    try:
        return json.loads(text)
    except ValueError:
        raise LaminaError("PROVIDER_ERROR", "This is not the answer of a Lamina service.", status=status) from None


def _error_of(refusal: urllib.error.HTTPError) -> LaminaError:
    try:
        answer = json.loads(refusal.read())
        error = LaminaError(answer["code"], answer["message"], status=refusal.code, answer=answer)
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
        message = f"The service answered {refusal.code}."
        return LaminaError("PROVIDER_ERROR", message, status=refusal.code)
    seconds = refusal.headers.get("Retry-After", "")
    error.retry_after = float(seconds) if seconds.isdigit() else 0.0
    return error
