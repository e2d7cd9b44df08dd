"""Event files: records with checksums, each an `Event` in protobuf's encoding.

A record is the length, its checksum, the data and their checksum (TFRecord); a checksum is CRC-32C, masked. Fields that
have protobuf's default are left out, and fields stand in the order of their numbers, as protobuf writes them.
"""

import os
import struct
import time


def _table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _table()


def _checksum(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = _TABLE[(value ^ byte) & 255] ^ value >> 8
    value ^= 0xFFFFFFFF
    return struct.pack("<I", (value >> 15 | value << 17) + 0xA282EAD8 & 0xFFFFFFFF)


def record(data):
    """The data as a record of a file."""
    length = struct.pack("<Q", len(data))
    return length + _checksum(length) + data + _checksum(data)


# Protobuf's encoding

def _varint(number):
    number &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def whole(field, number):
    """A whole number; nothing where it is 0."""
    return _varint(field << 3) + _varint(number) if number else b""


def message(field, data):
    """A message, or bytes."""
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def text(field, words):
    """A text; nothing where it is empty."""
    return message(field, words.encode()) if words else b""


def float32(field, number):
    """A float of 32 bits; one that is too large is infinite."""
    try:
        data = struct.pack("<f", number)
    except OverflowError:
        data = struct.pack("<f", float("inf") if number > 0 else float("-inf"))
    return _varint(field << 3 | 5) + data


def float64(field, number, is_set=False):
    """A float of 64 bits; nothing where it is 0, unless it is to be there all the same."""
    data = struct.pack("<d", number)
    return _varint(field << 3 | 1) + data if is_set or any(data) else b""


def float64s(field, numbers):
    """A list of floats of 64 bits."""
    return message(field, struct.pack(f"<{len(numbers)}d", *numbers)) if numbers else b""


def event(walltime=None, step=None, file_version="", summary=None, starts=False, writer=""):
    """An event: a summary at a step, or what a file begins with."""
    walltime = time.time() if walltime is None else walltime
    return (
        float64(1, float(walltime))
        + whole(2, 0 if step is None else int(step))
        + text(3, file_version)
        + (b"" if summary is None else message(5, summary))
        + (message(7, whole(1, 1)) if starts else b"")
        + (message(10, text(1, writer)) if writer else b"")
    )


class EventFile:
    """A file of events in a folder. Each event is in the file at once, so that a program that is stopped loses none."""

    VERSION = "brain.Event:2"
    _n_files = 0

    def __init__(self, log_dir, suffix=""):
        self.log_dir = log_dir
        os.makedirs(log_dir, exist_ok=True)
        start = f"events.out.tfevents.{int(time.time()):010d}.glowgrad.{os.getpid()}"
        path = None
        while path is None or os.path.exists(path):
            path = os.path.join(log_dir, f"{start}.{EventFile._n_files}{suffix}")
            EventFile._n_files += 1
        self.path = path
        self.add(event(file_version=self.VERSION, writer="tensorboard.summary.writer.event_file_writer"))

    def get_logdir(self):
        return self.log_dir

    def add(self, data):
        with open(self.path, "ab") as file:
            file.write(record(data))
