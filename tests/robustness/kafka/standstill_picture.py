"""A picture of when partitions stood still: time to the right, a line for each partition, a bar for each gap."""

LEFT, TOP, WIDTH, ROW, BELOW = 70, 90, 820, 14, 40


def x_of(at, began, ended):
    return LEFT + (at - began) / (ended - began) * WIDTH


def text(x, y, words, more=""):
    return f'<text x="{x:.0f}" y="{y:.0f}" {more}>{words}</text>'


def bars(gaps, began, ended):
    for row, partition in enumerate(sorted(gaps)):
        y = TOP + row * ROW
        yield text(LEFT - 8, y + ROW - 4, partition, 'text-anchor="end"')
        yield f'<rect x="{LEFT}" y="{y + 2}" width="{WIDTH}" height="{ROW - 4}" fill="#dbe9dc"/>'
        for gap in gaps[partition]:
            begin, end = (x_of(min(max(at, began), ended), began, ended) for at in gap)
            yield f'<rect x="{begin:.1f}" y="{y + 2}" width="{max(end - begin, 0.8):.1f}" height="{ROW - 4}" fill="#c0392b"/>'


def marks(events, began, ended, bottom):
    for number, (at, words) in enumerate(events):
        x = x_of(at, began, ended)
        y = TOP - 12 - 14 * (number % 4)
        yield f'<line x1="{x:.1f}" y1="{y + 3}" x2="{x:.1f}" y2="{bottom}" stroke="#333" stroke-dasharray="3 3"/>'
        yield text(x, y, words, 'text-anchor="middle"' if LEFT + 60 < x < LEFT + WIDTH - 60 else "")


def axis(began, ended, bottom):
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100) if (ended - began) / step <= 12)
    for second in range(0, int(ended - began) + 1, step):
        yield text(x_of(began + second, began, ended), bottom + 16, f"{second} s", 'text-anchor="middle"')


def picture(title, gaps, events, began, ended):
    """The SVG: `gaps` by partition, `events` as (time, words)."""
    bottom = TOP + len(gaps) * ROW
    lines = [text(LEFT, 18, title, 'font-weight="bold"'), text(8, TOP - 6, "partition"), *bars(gaps, began, ended),
             *marks(events, began, ended, bottom), *axis(began, ended, bottom)]
    size = f'width="{LEFT + WIDTH + 20}" height="{bottom + BELOW}"'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">\n'
            '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(lines) + "\n</svg>\n")
