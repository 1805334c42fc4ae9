"""Keeps a run: one JSON file for each, and the page with the latest table."""

import dataclasses
import json
import statistics

import table


def spread(values):
    return {"median": statistics.median(values), "lowest": min(values), "highest": max(values)}


def figure_of(row):
    return {**dataclasses.asdict(row), "ratios": spread(row.ratios) if row.ratios else None}


def document(run, samples, groups, notes):
    measurements = {benchmark: {field: spread(values) for field, values in sorted(fields.items())}
                    for benchmark, fields in sorted(samples.items())}
    return {**run, "figures": [figure_of(row) for group in groups for row in group], "notes": notes,
            "measurements": measurements}


def file_name(run):
    return f"{run['date'].replace('-', '_')}_{run['commit']}{'_dirty' if run['dirty'] else ''}.json"


def page(run, groups, notes, json_name):
    guide = run.get("guide", "../README.md")
    machine = run["machine"]
    turns = f" of {run['turns']} turns" if "turns" in run else ""
    commit = f"{run['commit']}{' with changes' if run['dirty'] else ''}"
    lines = [
        "# The latest recorded run", "",
        f"Made by `{run['command']}` on {run['date']}; do not edit. What the figures mean is in [the guide]({guide}); all",
        f"that was measured is in [{json_name}]({json_name}).", "",
        table.markdown(groups), "", table.summary(groups), "",
        f"- commit: {commit}",
        f"- machine: {machine['cpu']}, {machine['cores']} cores, {machine['memory']}; {machine['kernel']}; transparent huge pages: "
        f"{machine['transparent_huge_pages']}",
        f"- compiler: {machine['compiler']}",
        f"- rounds: {run['rounds']}{turns}; load average {run['load_before']} before, {run['load_after']} after",
    ]
    return "\n".join([*lines, *(f"- note: {note}" for note in notes)]) + "\n"


def write(folder, run, samples, result):
    """`result` is (groups, notes). Returns the paths written."""
    groups, notes = result
    folder.mkdir(parents=True, exist_ok=True)
    json_path = folder / file_name(run)
    json_path.write_text(json.dumps(document(run, samples, groups, notes), indent=1) + "\n")
    page_path = folder / "latest.md"
    page_path.write_text(page(run, groups, notes, json_path.name))
    return [json_path, page_path]
