"""Figures of Matplotlib: limits, ticks, colours, levels, counts, and what is said of wrong calls."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap, Normalize, to_hex, to_rgb, to_rgba


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


def limits(ax):
    return [round(float(v), 6) for v in (*ax.get_xlim(), *ax.get_ylim())]


x = np.linspace(0, 6, 50)
fig, ax = plt.subplots(figsize=(5, 3))
line, = ax.plot(x, np.sin(x), "r--o", label="sin", lw=2)
print(line.get_color(), line.get_linestyle(), line.get_linewidth(), line.get_marker(), line.get_label(), len(line.get_xdata()), type(line).__name__)
ax.plot([1, 2, 3])
ax.plot([1, 2], [3, 4], "g.", [5, 6], [7, 8], "C3:")
ax.plot(np.arange(6).reshape(3, 2))
print([to_hex(l.get_color()) for l in ax.lines], [l.get_linestyle() for l in ax.get_lines()], limits(ax), len(ax.lines))
ax.set_title("waves")
ax.set(xlabel="x", ylabel="y", xlim=(0, 5))
print(ax.get_title(), ax.get_xlabel(), ax.get_ylabel(), limits(ax), str(fig), fig.get_size_inches(), ax.get_xscale())
print(ax.get_legend_handles_labels()[1], ax.get_legend(), [t.get_text() for t in ax.legend(["a", "b"]).get_texts()], ax.get_xticks(), ax.get_yticks())
for draw in (
    lambda a: a.scatter([1, 2, 3], [4, 5, 9]), lambda a: a.bar([1, 2, 3], [4, 5, 9]), lambda a: a.barh(["a", "b"], [3, -2]), lambda a: a.hist([1, 2, 2, 3, 5], bins=4), lambda a: a.imshow(np.zeros((3, 4))), lambda a: a.imshow(np.zeros((3, 4)), origin="lower"), lambda a: a.imshow(np.zeros((3, 4)), extent=[0, 1, 0, 2]),
    lambda a: a.contour(np.arange(12.0).reshape(3, 4)), lambda a: a.contourf([0, 1, 2], [5, 7], [[0, 1, 2], [3, 4, 5]]), lambda a: a.fill_between([1, 2, 3], [1, 4, 9]), lambda a: a.axhline(3), lambda a: (a.plot([1, 2], [1, 2]), a.axvline(5)), lambda a: a.errorbar([1, 2], [3, 4], yerr=[0.5, 1]), lambda a: a.step([1, 2, 3], [1, 4, 9]),
    lambda a: a.semilogy([1, 10, 1000]), lambda a: a.loglog([1, 100], [1, 1e4]), lambda a: a.plot([2], [3]), lambda a: a.plot([0], [0]), lambda a: a.plot([], []), lambda a: a.hlines([1, 2], 0, 5), lambda a: a.vlines([1, 2], 0, 5), lambda a: a.plot(["a", "b", "c"], [1, 2, 3]), lambda a: a.plot([1, np.nan, 3], [1, 2, np.nan]), lambda a: a.pcolormesh(np.zeros((2, 3))), lambda a: a.stackplot([1, 2], [1, 2], [3, 4]), lambda a: a.fill([0, 1, 1], [0, 0, 1]), lambda a: (a.plot([1, 2]), a.margins(0)), lambda a: (a.plot([1, 2]), a.invert_yaxis()), lambda a: (a.plot([1, 2]), a.set_ylim(bottom=0)), lambda a: (a.plot([1, 2]), a.set_xlim(5, 1)),
):
    fig, ax = plt.subplots()
    draw(ax)
    print(limits(ax))
    plt.close(fig)
fig, axes = plt.subplots(2, 3, sharex=True)
print(axes.shape, len(axes), axes[0, 1] is axes.flat[1] if hasattr(axes.flat, "__getitem__") else True, axes[1].shape, axes.ravel().shape, len(axes.flatten()), [row.shape for row in axes], axes[:, 0].shape, axes.size, len(fig.axes))
axes[0, 0].plot([1, 9], [1, 2])
print(limits(axes[1, 2])[:2], plt.subplots(1, 2)[1].shape, plt.subplots(1, 2, squeeze=False)[1].shape, len(plt.get_fignums()), plt.fignum_exists(1))
plt.close("all")
print(plt.get_fignums(), plt.gcf().number, plt.gca() is plt.gcf().axes[0], plt.gcf() is plt.figure(1))
n, bins, patches = plt.hist([1, 2, 2, 3, 5], bins=4)
print(n, bins, len(patches), [float(p.get_height()) for p in patches], plt.hist([1, 2, 2], density=True, bins=2)[0], plt.hist([[1, 2], [2, 3]], bins=2)[0], plt.hist(np.arange(4), bins=[0, 2, 4], cumulative=True)[0], plt.hist([1, 2], weights=[0.5, 2], bins=2)[0], plt.hist([1, 5], range=(0, 10), bins=5)[1])
bars = plt.bar(["a", "b"], [3, 5], color="red", label="k")
print([(float(b.get_x()), float(b.get_width()), float(b.get_height()), float(b.get_y())) for b in bars], len(bars), bars.get_label())
for Z in (np.arange(12.0).reshape(3, 4), np.random.RandomState(0).rand(4, 4), np.outer(np.arange(-3.0, 4), np.arange(-3.0, 4)), np.arange(4.0).reshape(2, 2) * 1e-3):
    print(plt.contour(Z).levels, plt.contourf(Z, 4).levels, plt.contour(Z, levels=[0.5, 1]).levels)
print(plt.cm.tab10(3)[:3], plt.get_cmap("tab10").N, plt.cm.gray(0.5), plt.cm.gray(np.array([0, 255])), plt.cm.gray(2.0), plt.get_cmap("gray_r")(0.0), plt.cm.gray.name, plt.get_cmap().name, plt.cm.tab10([0, 1]).shape)
print(to_hex("C1"), to_rgb("red"), to_rgba("#0f0", 0.5), to_rgba("0.25"), to_rgba((1.0, 0.0, 0.0))[:3], to_hex("tab:blue"), to_rgba("none"), to_hex("steelblue"), Normalize(0, 10)(5), Normalize(0, 10)([0, 20]), ListedColormap(["red", "blue"])(1), ListedColormap(["red", "blue"]).N)
print(plt.rcParams["figure.figsize"], plt.rcParams["image.cmap"], "ggplot" in plt.style.available)
plt.rcParams["figure.figsize"] = (8, 4)
plt.rcParams.update({"lines.linewidth": 2.0})
print(plt.figure().get_size_inches(), plt.xlim(), len(plt.xlim(0, 3)), plt.xlim(), plt.axis("off"), plt.axis([0, 1, 2, 3]), plt.ylim())
plt.title("t"), plt.xlabel("x"), plt.ylabel("y"), plt.grid(True), plt.tight_layout(), plt.suptitle("s"), plt.xticks([0, 1], ["a", "b"]), plt.yticks([2, 3])
print(plt.gca().get_title(), [t.get_text() for t in plt.gca().get_xticklabels()], plt.gca().get_yticks().tolist() == [2, 3], plt.text(1, 2, "here").get_text(), plt.annotate("a", (1, 2), xytext=(2, 3), arrowprops=dict(arrowstyle="->")).get_text())
ax = plt.subplot(2, 2, 3)
print(ax is plt.subplot(223), plt.subplot(2, 1, 1) is plt.gca(), len(plt.gcf().axes))
image = plt.imshow(np.arange(6.0).reshape(2, 3), cmap="gray", vmin=1)
bar = plt.colorbar(image, label="v")
print(image.get_clim(), image.get_cmap().name, image.get_array().shape, type(bar).__name__, image.get_extent())
other = plt.gca().twinx()
other.plot([1, 2], [10, 20])
print(limits(other)[2:], other.get_ylabel() == "")
for f in (
    lambda: plt.plot([1, 2], [1, 2, 3]), lambda: plt.plot([1, 2], foo=3), lambda: plt.scatter([1, 2], [1, 2, 3]), lambda: plt.scatter([1], [1], foo=3), lambda: plt.bar([1], [1], foo=3), lambda: plt.imshow(np.zeros(3)), lambda: plt.imshow([[1]], foo=3), lambda: plt.plot([1, 2], "zz"), lambda: plt.plot([1, 2], color="zz"),
    lambda: plt.style.use("zz"), lambda: plt.get_cmap("zz") if False else 0, lambda: plt.subplot(2, 2, 5), lambda: plt.gca().foo, lambda: plt.foo, lambda: plt.rcParams.__setitem__("zz", 1), lambda: plt.contour([1, 2]), lambda: plt.contour([[1, 2], [3, 4]], levels=[2, 1]), lambda: plt.gca().set_xticks([1, 2], ["a"]), lambda: plt.bar([1], [1], align="zz"), lambda: plt.title("a", foo=1), lambda: plt.figure().add_subplot(1, 1, 1).set_yscale("log"),
):
    attempt(f)
fig, axs = plt.subplot_mosaic("AB;CC")
print(sorted(axs), len(fig.axes), fig.add_gridspec(2, 2).nrows)
line, = axs["A"].plot([], [])
line.set_data([1, 2], [3, 4])
axs["A"].relim()
axs["A"].autoscale_view()
print(limits(axs["A"]), [float(v) for v in line.get_ydata()], line.set_color("blue"), line.get_color())
