"""`platform`: what Python runs on."""

import sys


def python_version():
    """Python's version."""
    return ".".join(map(str, sys.version_info[:3]))


def python_version_tuple():
    return tuple(python_version().split("."))


def python_implementation():
    return "RustPython"


def system():
    return "glowgrad"


def machine():
    return "wasm32"


def processor():
    return ""


def node():
    return "lab"


def release():
    return ""


def version():
    return ""


def platform(aliased=False, terse=False):
    return f"glowgrad-{machine()}"


def architecture(executable="", bits="", linkage=""):
    return ("32bit", "")


def uname():
    import posix
    return posix.uname()


def win32_ver(*args):
    return ("", "", "", "")


mac_ver = win32_ver
