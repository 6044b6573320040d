"""The test server itself: usable without an event loop of the test's own."""

from __future__ import annotations

import json
import urllib.request

from tests.support.chat_server import by_prompt, completion, serve


def test_a_server_in_a_thread_replies_and_remembers() -> None:
    """A test that is not asynchronous gets replies by its script and sees the calls."""
    body = {"messages": [{"role": "user", "content": "1 + 1?"}]}
    with serve(by_prompt({"1 + 1?": [completion("first")]}, otherwise=completion("later"))) as server:
        url = f"{server.base_url}/chat/completions"
        texts = []
        for _ in range(2):
            request = urllib.request.Request(url, json.dumps(body).encode())  # noqa: S310 - our own address
            with urllib.request.urlopen(request, timeout=10) as reply:  # noqa: S310 - our own address
                texts.append(json.load(reply)["choices"][0]["message"]["content"])
    assert texts == ["first", "later"]
    assert [call.prompt for call in server.calls] == ["1 + 1?", "1 + 1?"]
