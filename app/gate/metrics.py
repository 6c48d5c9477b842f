"""Counts of a gate as Prometheus text (exposition format 0.0.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragsieve_core.gate.counters import LATENCY_S, Counts

Labels = Mapping[str, str]
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def exposition(
    counts: Mapping[str, Counts], gauges: Mapping[str, float], statuses: Mapping[tuple[str, int], int]
) -> str:
    """Text of the metrics.

    Parameters
    ----------
    counts : by tenant; the empty name stands for callers of all tenants.
    gauges : further numbers by name, none of one tenant alone.
    statuses : HTTP answers by (tenant, status).
    """
    lines: list[str] = []
    _family(lines, "calls_total", "counter", "Calls answered, by state.", (
        ({"tenant": t, "state": state}, n) for t, c in counts.items() for state, n in sorted(c.states.items())
    ))  # fmt: skip
    _family(lines, "removed_total", "counter", "Documents that left (in shadow mode: would have left), by cause.", (
        ({"tenant": t, "by": by}, n) for t, c in counts.items() for by, n in sorted(c.removed.items())
    ))  # fmt: skip
    _family(lines, "limited_total", "counter", "Calls that RSQ could not serve in full, by reason.", (
        ({"tenant": t, "reason": why}, n) for t, c in counts.items() for why, n in sorted(c.reasons.items())
    ))  # fmt: skip
    _family(
        lines, "unscored_total", "counter", "Documents RSQ said nothing about.",
        (({"tenant": t}, c.unscored) for t, c in counts.items()),
    )  # fmt: skip
    _family(
        lines, "errors_total", "counter", "Failures of models or scoring.",
        (({"tenant": t}, c.errors) for t, c in counts.items()),
    )  # fmt: skip
    _latency(lines, counts)
    _family(lines, "http_answers_total", "counter", "HTTP answers, by status.", (
        ({"tenant": t, "status": str(status)}, n) for (t, status), n in sorted(statuses.items())
    ))  # fmt: skip
    for name, value in gauges.items():
        _family(lines, name, "gauge", name.replace("_", " "), [({}, value)])
    return "\n".join(lines) + "\n"


def _latency(lines: list[str], counts: Mapping[str, Counts]) -> None:
    name = "ragsieve_gate_latency_seconds"
    lines += [f"# HELP {name} Time of a call.", f"# TYPE {name} histogram"]
    for tenant, count in counts.items():
        bounds = [(f"{bound:g}", n) for bound, n in zip(LATENCY_S, count.latency, strict=True)]
        for bound, n in [*bounds, ("+Inf", count.calls)]:
            lines.append(f"{name}_bucket{_labels({'tenant': tenant, 'le': bound})} {n}")
        lines.append(f"{name}_sum{_labels({'tenant': tenant})} {count.latency_sum:.6f}")
        lines.append(f"{name}_count{_labels({'tenant': tenant})} {count.calls}")


def _family(lines: list[str], name: str, kind: str, about: str, samples: Iterable[tuple[Labels, float]]) -> None:
    full = f"ragsieve_gate_{name}"
    lines += [f"# HELP {full} {about}", f"# TYPE {full} {kind}"]
    lines += [f"{full}{_labels(labels)} {value!r}" for labels, value in samples]


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    pairs = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return "{" + pairs + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
