"""(b) One post to N listeners, what each costs to keep, and what adding and removing them costs."""

import json
import subprocess

from .lab import ENVIRONMENT, Ratio

LIMITS = {("synchronous", 100): 3.0, ("synchronous", 1000): 1.5, ("async", 1000): 16.0, ("actors", 1000): 20.0}
BYTES = {"synchronous": 64, "async": 64, "able": 320}


class Quartiles(Ratio):
    """A ratio that the program itself has taken, round by round."""

    def __init__(self, figures):  # pylint: disable=super-init-not-called
        self.value, self.low, self.high = figures


def lines(lab, *arguments):
    done = subprocess.run([lab.bench, *arguments], check=True, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    return [json.loads(line) for line in done.stdout.splitlines()]


def measure(lab):
    counts = [1, 10, 100, 1000] if lab.quick else [1, 10, 100, 1000, 10_000, 100_000]
    posts = lab.series["posts"] = lines(lab, "posts", *map(str, counts))
    for post in posts:
        kind, count = post["kind"], post["listeners"]
        figure = f"{post['nanoseconds'] / 1000:.2f} µs, {post['allocations']:.0f} allocations"
        lab.add("b", f"post to {count:,}: {kind}", figure, Quartiles(post["ratio"]), limit=LIMITS.get((kind, count)))
        if (kind, count) == ("synchronous", 1000):
            ratio = Quartiles([1 / figure for figure in post["toObservers"]])
            lab.add("b", "post to 1,000: synchronous beside NotificationCenter", "", ratio, limit=1 / 7)
    (memory,) = lines(lab, "memory", "10000")
    for kind in ("closures", "observers", "synchronous", "async", "able"):
        name = "with abilities" if kind == "able" else kind
        lab.add("b", f"bytes for each listener: {name}", f"{memory[kind]:.0f} B", limit=BYTES.get(kind), compared=memory[kind])
    few, many = ({line["what"]: line for line in lines(lab, "changes", count)} for count in ("1000", "100000"))
    for what in ("add", "remove"):
        figure = f"{many[what]['nanoseconds'] / 1000:.1f} µs, {many[what]['allocations']:.0f} allocations"
        growth = many[what]["nanoseconds"] / few[what]["nanoseconds"]
        lab.add("b", f"{what} one of 100,000, beside one of 1,000", figure, growth)
