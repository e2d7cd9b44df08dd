"""`torch.__config__`: how the library was built, as text."""


def show():
    """What computes here, as text.

    >>> torch.__config__.show()
    """
    from glowgrad import __version__

    return f"glowgrad {__version__}: a tensor engine in Rust\n"


def parallel_info():
    """How many threads compute, as text.

    >>> torch.__config__.parallel_info()
    """
    from glowgrad import get_num_threads

    return f"threads: {get_num_threads()}\n"
