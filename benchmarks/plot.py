"""How a plot is drawn, as SVG.

Decides what all of them have in common. Must not know what the numbers mean.
"""

# matplotlib's own types are partly unknown
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

from benchmarks.report import Plot

# told apart without colours as well
MARKERS = "os^Dv*Px"


def draw(plot: Plot, file: Path) -> None:
    """Write a plot to a file."""
    # texts stay texts, and the same numbers make the same file
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "anarchon"}):
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        axes = figure.subplots()
        lines = zip(plot.lines.items(), MARKERS, strict=False)
        for (name, points), marker in lines:
            x, y = zip(*points, strict=True)
            axes.plot(x, y, marker=marker, markersize=4, label=name)
        if plot.logarithmic:
            axes.set_xscale("log")
            axes.set_yscale("log")
        axes.set(title=plot.title, xlabel=plot.x, ylabel=plot.y)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
        figure.savefig(file, format="svg", metadata={"Date": None})
