"""(e) Notify datagrams through lifecycled's receiver, and (h) control requests, beside C programs that do the least."""

import os
import subprocess
import time

from .lab import ENVIRONMENT, Ratio, median, say

QUIET = {"env": ENVIRONMENT, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}


def flood(lab, receiver, text):
    results = lab.path("flood.txt")
    batches, datagrams = 5, 2000 if lab.quick else 10_000
    command = [*receiver, lab.path("flood"), str(batches), str(datagrams), results, text]
    subprocess.run(command, check=True, **QUIET)
    with open(results, encoding="ascii") as lines:
        return [tuple(map(float, line.split())) for line in lines]


def measure_notify(lab):
    receivers = {"C": [lab.path("receive")], "ours": [lab.lifecycled, "run", "--ready=notify", "--"]}
    for text, limit in (("WATCHDOG=1", 1.3), ("STATUS=Serving 12 of 40 clients", None)):
        batches = {name: [] for name in receivers}
        for _ in range(lab.rounds(8)):
            for name, words in receivers.items():
                batches[name] += flood(lab, words, text)
        wall = {name: [batch[0] for batch in its] for name, its in batches.items()}
        cpu = {name: [batch[1] for batch in its] for name, its in batches.items()}
        each = f"{median(wall['ours']) / 1000:.2f} µs, {1e9 / median(wall['ours']):,.0f} a second"
        key = text.split("=", maxsplit=1)[0]
        lab.add("e", f"notify datagram {key}, sender and receiver", each, Ratio(wall["ours"], wall["C"]), limit=limit)
        lab.add("e", f"notify datagram {key}, CPU of the receiver", f"{median(cpu['ours']) / 1000:.2f} µs", Ratio(cpu["ours"], cpu["C"]))


def wait_for(path):
    deadline = time.monotonic() + 10
    while not os.path.exists(path):
        if time.monotonic() > deadline:
            raise RuntimeError(f"nobody serves {path}")
        time.sleep(0.01)


def measure_control(lab):
    socket = lab.path("control/socket")
    os.mkdir(lab.path("control"), 0o755)
    servers = {
        lab.path("echo-socket"): [lab.path("echo"), lab.path("echo-socket")],
        socket: [*lab.ten_hooks().split(), "--control", socket],
    }
    running = [subprocess.Popen(words, **QUIET) for words in servers.values()]  # pylint: disable=consider-using-with
    try:
        for path in servers:
            wait_for(path)
        time.sleep(0.3)
        for method in ("org.varlink.service.GetInfo", "io.lifecycled.Control.GetState"):
            request = f'{{"method":"{method}","parameters":{{}}}}'
            floor, ours = lab.lines_of_numbers(lab.path("ask"), lab.rounds(100), 100, request, *servers)
            figure = f"{median(ours) / 1000:.1f} µs, {1e9 / median(ours):,.0f} a second"
            lab.add("h", f"control request {method.rsplit('.', maxsplit=1)[1]}", figure, Ratio(ours, floor))
    finally:
        for process in running:
            process.terminate()
            process.wait()
            say(process.stderr.read().decode(errors="replace").strip()[-300:]) if process.returncode else None
