"""`make bench`: the figures that the project holds itself to, as ratios measured side by side. See docs/benchmarks.md."""
