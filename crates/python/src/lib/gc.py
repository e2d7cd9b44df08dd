"""Memory is given back as soon as nothing refers to it: there is nothing to collect."""


def collect(generation=2):
    """Finds nothing: objects that refer to each other in a circle stay until the session ends."""
    return 0


def isenabled():
    return False


def enable():
    pass


def disable():
    pass
