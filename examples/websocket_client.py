#!/usr/bin/env python3
"""Asks a running Hark over its WebSocket and prints the answer and what happens meanwhile.

    pip install websockets
    python3 examples/websocket_client.py "turn on the living room light"

With the port open to other machines (dashboard.token_file) give the token as HARK_TOKEN.
"""

import asyncio
import json
import os
import sys

import websockets

ADDRESS = os.environ.get("HARK_ADDRESS", "ws://127.0.0.1:8765/ws")


async def ask(text: str) -> int:
    token = os.environ.get("HARK_TOKEN")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with websockets.connect(ADDRESS, additional_headers=headers) as socket:
        await socket.send(json.dumps({"type": "chat", "content": text, "session_id": "example"}))
        async for message in socket:
            message = json.loads(message)
            kind, data = message["type"], message["data"]
            if kind == "content":
                print(data["text"])
            elif kind == "event" and data["event"] == "action":
                receipt = data["receipt"]
                print(f"  {data['tool']}: {'done' if receipt['ok'] else 'failed'}, receipt {receipt['id']}")
            elif kind == "error":
                print(data["message"], data.get("fix", ""), sep="\n", file=sys.stderr)
                return 1
            elif kind == "complete":
                return 0 if data["outcome"] == "done" else 1
    return 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        sys.exit(asyncio.run(ask(sys.argv[1])))
    except OSError as error:
        sys.exit(f"{ADDRESS} does not answer ({error}): is `hark run` up?")
