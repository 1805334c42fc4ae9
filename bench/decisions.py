"""What decisions_bench must decide: time is part of its program, so every run on every machine gives these numbers.

A change here is a change of behaviour: say in the commit why the decisions are other ones now.
"""

# {benchmark: (admitted, checksum of all decisions)}
EXPECTED = {
    "one_bucket/iterations:200000": (140019, 238423035508298),
    "in_batches/iterations:200000": (156912, 142643320099806),
    "three_buckets/iterations:200000": (126999, 144557027025775),
    "one_by_one/token_bucket/iterations:200000": (156912, 208712573235588),
    "one_by_one/leaky_bucket/iterations:200000": (156912, 208712573235588),
    "one_by_one/leaky_queue/iterations:200000": (156912, 264779934588743),
    "one_by_one/fixed_window/iterations:200000": (139396, 253827502488981),
    "one_by_one/sliding_window_log/iterations:200000": (131365, 164564244283996),
    "one_by_one/sliding_window_counter/iterations:200000": (130037, 140126738982554),
}


def problems_of(samples):
    problems = []
    for benchmark, (allowed, checksum) in EXPECTED.items():
        fields = samples.get(benchmark, {})
        seen = sorted(set(zip(fields.get("allowed", []), fields.get("checksum", []))))
        if not seen:
            problems.append(f"{benchmark}: was not run")
        elif len(seen) > 1:
            problems.append(f"{benchmark}: decided differently from round to round: {seen}")
        elif seen[0] != (allowed, checksum):
            problems.append(f"{benchmark}: {seen[0][0]:.0f} allowed, checksum {seen[0][1]:.0f}; "
                            f"expected {allowed} and {checksum}")
    return problems


def admitted(measured):
    return sum(measured.get(benchmark, {}).get("allowed", 0) for benchmark in EXPECTED)
