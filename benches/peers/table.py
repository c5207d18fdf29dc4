"""Results as a Markdown table."""


def table(results: dict) -> str:
    sizes = results["sizes"]
    children = [str(n) for n in sizes["w3"]]
    head = [
        "engine (durability)",
        "W1 steps/s",
        "W2 workflows/s",
        f"W3 {'/'.join(children)} s",
        "W4 p50/p95 ms",
        "W5 s",
        "idle CPU s/min",
        "idle MB",
        "load",
    ]
    lines = [head, ["---"] * len(head)]
    failures = []
    for row in results["rows"]:
        name = f"{row['peer']} {row['version']} ({row['durability']})"

        def cell(figure, show, name=name):
            if figure is None:
                return "-"
            if isinstance(figure, dict) and "failed" in figure:
                failures.append(f"- {name}: {figure['failed']}")
                return "failed"
            return show(figure)

        lines.append(
            [
                name,
                cell(row["w1_steps_per_s"], number),
                cell(row["w2_workflows_per_s"], number),
                "/".join(cell(row["w3_s"][n], number) for n in children),
                cell(row["w4_ms"], lambda ms: f"{number(ms['p50'])}/{number(ms['p95'])}"),
                cell(row["w5_s"], number),
                cell(row["idle"], lambda idle: number(idle["cpu_s_per_minute"])),
                cell(row["idle"], lambda idle: memory(idle["memory_mb"])),
                number(row["load"]),
            ]
        )
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    requests = [
        f"- {row['peer']} ({row['durability']}), idle: {row['idle']['write_requests_per_minute']:.0f} write "
        f"and {row['idle']['read_requests_per_minute']:.0f} read requests a minute"
        for row in results["rows"]
        if "write_requests_per_minute" in row["idle"]
    ]
    return "\n".join([text, "", *requests, *dict.fromkeys(failures)])


def number(value: float) -> str:
    """Two digits below ten, else whole: the machine is no more exact than that."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def memory(parts: dict) -> str:
    if len(parts) == 1:
        return number(next(iter(parts.values())))
    return " + ".join(f"{name} {number(value)}" for name, value in parts.items())
