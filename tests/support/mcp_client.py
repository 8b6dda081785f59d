"""Hark's MCP server as a client of others sees it, the package `mcp` of PyPI: by standard input and output and by HTTP, in the
older and the newer revision of the protocol. Arguments: the program hark, the address of /mcp. Prints a line of JSON for each."""

import asyncio
import json
import os
import sys

from mcp import Client, ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

HARK, URL = sys.argv[1:]
DOOR = {"name": "front door"}


def says(yes):
    async def answer(_context, params):
        assert "Shall I unlock the front door?" in params.message, params
        return types.ElicitResult(action="accept", content={"yes": yes})

    return answer


async def state_of_door(session):
    told = await session.call_tool("home.get_state", DOOR)
    return told.structured_content["entities"][0]["state"]


async def look(session, way):
    told = await session.list_tools()
    light = await session.call_tool("home.turn_on", {"name": "kitchen ceiling"})
    try:
        await session.call_tool("shell.run", {"program": "uptime"})
        no_tool = "it ran"
    except Exception as error:
        no_tool = str(error).split(" (")[0]
    bad = await session.call_tool("timer.start", {"minutes": "soon"})
    return {
        "way": way,
        "tools": {tool.name: True for tool in told.tools},
        "light": [light.is_error, light.structured_content["entities"][0]["to"]],
        "no_tool": no_tool,
        "bad": bad.is_error,
    }


async def door(session):
    await session.call_tool("home.turn_on", DOOR)
    told = await session.call_tool("home.turn_off", DOOR)
    return told.is_error, await state_of_door(session)


async def older(way, transport):
    async def within(yes, work):
        async with transport() as streams:
            async with ClientSession(streams[0], streams[1], elicitation_callback=says(yes)) as session:
                greeted = await session.initialize()
                return await work(session), greeted.protocol_version

    seen, version = await within(False, lambda session: look(session, way))
    refused, _ = await within(False, door)
    opened, _ = await within(True, door)
    return {**seen, "protocol": version, "door_without_a_yes": [refused[0]], "door_after": [refused[1]], "door_with_a_yes": opened[1]}


async def newer(way, server):
    async def within(yes, work):
        async with Client(server(), elicitation_callback=says(yes)) as client:
            return await work(client), client.protocol_version

    seen, version = await within(False, lambda client: look(client, way))
    refused, _ = await within(False, door)
    opened, _ = await within(True, door)
    return {**seen, "protocol": version, "door_without_a_yes": [refused[0]], "door_after": [refused[1]], "door_with_a_yes": opened[1]}


async def main():
    program = StdioServerParameters(command=HARK, args=["mcp", "serve"], env=dict(os.environ))
    for seen in [
        await older("older stdio", lambda: stdio_client(program)),
        await older("older http", lambda: streamable_http_client(URL)),
        await newer("newer stdio", lambda: program),
        await newer("newer http", lambda: URL),
    ]:
        print(json.dumps(seen))


asyncio.run(main())
