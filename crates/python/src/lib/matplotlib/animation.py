"""Animations: not here. A figure that is drawn again under the same number is replaced."""


class FuncAnimation:
    """Not here: draw the figure again in a loop, with `plt.pause`."""

    def __init__(self, fig, func, frames=None, init_func=None, **kwargs):
        raise NotImplementedError(
            "FuncAnimation: there are no animations here; call the function in a loop and "
            "plt.pause(0.05) after it"
        )


ArtistAnimation = FuncAnimation
