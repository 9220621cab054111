"""An SVG of (a), bars of p50 with p99, and of (b), nanoseconds for each listener over their number."""

import math

INK, GRID = "#333", "#ddd"
COLOURS = {"closures": "#888", "synchronous": "#0a7", "async": "#27c", "actors": "#84c", "observers": "#d63"}
OURS = ("synchronous listener", "async listener")


def text(x, y, words, anchor="start", size=12, colour=INK):
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def line(x1, y1, x2, y2, colour=GRID, width=1):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def signal_bars(series, left, top, width):
    """Bars end at p50, and their whiskers at p99, in µs."""
    shown = sorted(series.items(), key=lambda item: item[1][0])
    most = max(p99 for _, (_, p99) in shown) / 1000
    scale = (width - 210) / most
    parts = [text(left, top, "(a) kill() → first code, one core: p50, and p99 as a line; µs", size=14)]
    for index, (name, (p50, p99)) in enumerate(shown):
        y = top + 24 + index * 28
        start, end, tail = left + 140, p50 / 1000 * scale, p99 / 1000 * scale
        colour = "#0a7" if name in OURS else "#888"
        parts.append(text(start - 8, y + 13, name, "end"))
        parts.append(f'<rect x="{start}" y="{y}" width="{end:.1f}" height="18" fill="{colour}"/>')
        parts.append(line(start + end, y + 9, start + tail, y + 9, INK))
        parts.append(text(start + tail + 6, y + 13, f"{p50 / 1000:.0f}, {p99 / 1000:.0f}"))
    return parts


def post_lines(posts, left, top, width, height):
    """Both axes are logarithmic."""
    counts = sorted({post["listeners"] for post in posts})
    each = {(post["kind"], post["listeners"]): post["nanoseconds"] / post["listeners"] for post in posts}
    low, high = math.floor(math.log10(min(each.values()))), math.ceil(math.log10(max(each.values())))
    x = lambda count: left + 60 + (width - 180) * math.log10(count) / max(1, math.log10(counts[-1]))
    y = lambda value: top + 20 + height * (high - math.log10(value)) / (high - low)
    parts = [text(left, top, "(b) one post: ns for each listener, over the number of listeners", size=14)]
    for power in range(low, high + 1):
        parts.append(line(x(1), y(10**power), x(counts[-1]), y(10**power)))
        parts.append(text(x(1) - 8, y(10**power) + 4, f"{10.0**power:,g}", "end"))
    for count in counts:
        parts.append(text(x(count), top + height + 40, f"{count:,}", "middle"))
    ends = []
    for kind, colour in COLOURS.items():
        points = " ".join(f"{x(count):.1f},{y(each[kind, count]):.1f}" for count in counts if (kind, count) in each)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        ends.append([y(each[kind, counts[-1]]) + 4, kind, colour])
    ends.sort()
    for before, after in zip(ends, ends[1:]):
        after[0] = max(after[0], before[0] + 14)
    parts += [text(x(counts[-1]) + 8, place, kind, colour=colour) for place, kind, colour in ends]
    return parts


def svg(series):
    signals, posts = series["signals one"], series["posts"]
    width, first = 760, 60 + 28 * len(signals)
    parts = signal_bars(signals, 20, 30, width - 40) + post_lines(posts, 20, first + 20, width - 40, 260)
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{first + 340}" font-family="sans-serif">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
    )
