"""Lays out the rows of a report, for a terminal and for Markdown."""

import figures

COLUMNS = ("Figure", "Measured", "Beside", "Ratio", "Target", "Met?")
RIGHT = {1}


def cells(row):
    return row.name, row.measured, row.beside, row.ratio, row.target, row.verdict


def text(groups):
    widths = [max(map(len, column)) for column in zip(COLUMNS, *(cells(row) for group in groups for row in group))]

    def line(values):
        padded = (value.rjust(width) if i in RIGHT else value.ljust(width)
                  for i, (value, width) in enumerate(zip(values, widths)))
        return "  ".join(padded).rstrip()

    rule = "  ".join("-" * width for width in widths)
    lines = [line(COLUMNS)]
    for group in groups:
        lines += [rule, *(line(cells(row)) for row in group)]
    return "\n".join(lines)


def markdown(groups):
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---|---:|---|---|---|---|"]
    for row in (row for group in groups for row in group):
        *values, verdict = cells(row)
        lines.append("| " + " | ".join([*values, verdict.replace(figures.MISSED, f"**{figures.MISSED}**")]) + " |")
    return "\n".join(lines)


def missed(groups):
    return [row for group in groups for row in group if figures.MISSED in row.verdict]


def not_run(groups):
    return [row for group in groups for row in group if row.verdict == figures.NOT_RUN]


def summary(groups):
    met = sum(row.verdict.split(",")[0] == figures.MET for group in groups for row in group)
    parts = [f"{met} met", f"{len(missed(groups))} {figures.MISSED}"]
    if not_run(groups):
        parts.append(f"{len(not_run(groups))} figures not run")
    return "Targets: " + ", ".join(parts) + "."
