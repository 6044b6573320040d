"""The limit: aiohttp, as many workers as connections, nothing kept but the answers."""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import aiohttp


async def work(session: aiohttp.ClientSession, url: str, prompts: Iterator[str], answers: list[str]) -> None:
    """Ask one prompt after the other until none is left."""
    for prompt in prompts:
        body = {"model": "bench", "messages": [{"role": "user", "content": prompt}], "temperature": 0.1}
        async with session.post(url, json=body) as reply:
            answers.append((await reply.json())["choices"][0]["message"]["content"])


async def main(prompts: list[str], base_url: str, concurrency: int) -> None:
    """Ask all prompts."""
    answers: list[str] = []
    left = iter(prompts)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        url = f"{base_url}/chat/completions"
        await asyncio.gather(*(work(session, url, left, answers) for _ in range(concurrency)))
    print(len(answers))


file, base_url, concurrency, _ = sys.argv[1:]
lines = Path(file).read_text(encoding="utf-8").splitlines()
asyncio.run(main([json.loads(line)["prompt"] for line in lines], base_url, int(concurrency)))
