"""A peer: asyncio's signal handlers, and READY=1 of python3-sdnotify."""

import asyncio
import os
import signal
import time

import sdnotify


def stamp():
    os.write(1, time.monotonic_ns().to_bytes(8, "little"))


async def main():
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        loop.add_signal_handler(number, stamp)
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    sdnotify.SystemdNotifier().notify("READY=1")
    await ended.wait()


asyncio.run(main())
