"""The OpenAI SDK, with a semaphore around every request."""

import asyncio
import json
import sys
from pathlib import Path

from openai import AsyncOpenAI


async def main(prompts: list[str], base_url: str, concurrency: int) -> None:
    """Ask all prompts."""
    free = asyncio.Semaphore(concurrency)
    async with AsyncOpenAI(base_url=base_url, api_key="none") as client:

        async def ask(prompt: str) -> object:
            async with free:
                reply = await client.chat.completions.create(
                    model="bench", messages=[{"role": "user", "content": prompt}], temperature=0.1
                )
            return reply.choices[0].message.content

        answers = await asyncio.gather(*map(ask, prompts))
    print(len(answers))


file, base_url, concurrency, _ = sys.argv[1:]
lines = Path(file).read_text(encoding="utf-8").splitlines()
asyncio.run(main([json.loads(line)["prompt"] for line in lines], base_url, int(concurrency)))
