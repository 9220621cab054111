"""(a) From kill() in another process to the first listener's code, and from kill() to the end of a reload."""

from . import peers
from .lab import Ratio, quantile


def microseconds(times):
    return f"{quantile(times, 0.5) / 1000:.0f} µs, p99 {quantile(times, 0.99) / 1000:.0f}"


def measure(lab):
    programs = {
        "C sd-event": lab.path("sd-event"),
        "C sigaction": lab.path("sigaction"),
        "C, our three threads": lab.path("three-threads"),
        "synchronous listener": f"{lab.daemon} synchronous",
        "Go signal.Notify": peers.go(lab),
        "Python asyncio": peers.python(lab),
        # Not behind the other one of ours, whose code it would find in the cache.
        "async listener": f"{lab.daemon} async",
        "Node": peers.node(lab),
        "Dispatch source": f"{lab.daemon} dispatch",
        "UnixSignals": peers.service_lifecycle(lab),
    }
    programs = {name: words for name, words in programs.items() if words}
    for cores, label in (("one", "one core"), ("free", "free")):
        lines = lab.lines_of_numbers(lab.path("signal-time"), lab.rounds(800), cores, "stamp", *programs.values())
        times = dict(zip(programs, lines))
        lab.series[f"signals {cores}"] = {n: (quantile(t, 0.5), quantile(t, 0.99)) for n, t in times.items()}
        tell(lab, times, cores, label)
    programs = {"C": lab.path("sd-event"), "ours": f"{lab.daemon} plain", "lifecycled": lab.one_reload_hook()}
    lines = lab.lines_of_numbers(lab.path("signal-time"), lab.rounds(160), "one", "reload", *programs.values())
    times = dict(zip(programs, lines))
    for name, what in (("ours", "embedded, one ReloadListener"), ("lifecycled", "lifecycled, one hook /bin/true")):
        lab.add("a", f"kill → READY=1 of a reload, {what}", microseconds(times[name]), Ratio(times[name], times["C"]))


def tell(lab, times, cores, label):
    floor = times["C sd-event"]
    limits = {"synchronous listener": 2.5, "async listener": 3.0} if cores == "one" else {}
    lab.add("a", f"kill → C sd-event, {label}", microseconds(floor), 1.0)
    for name, its in times.items():
        if its is floor:
            continue
        lab.add("a", f"kill → {name}, {label}", microseconds(its), Ratio(its, floor), limit=limits.get(name))
    ours = times["synchronous listener"]
    tail = quantile(ours, 0.99) / quantile(ours, 0.5)
    lab.add("a", f"p99 of ours beside its p50, {label}", "", tail, limit=2.5 if cores == "one" else 5.0)
    if "UnixSignals" in times:
        lab.add("a", f"ours beside UnixSignals, {label}", "", Ratio(ours, times["UnixSignals"]), limit=0.9)
