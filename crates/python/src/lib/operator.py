"""Operators as functions, on the interpreter's own `_operator`."""

from _operator import *
