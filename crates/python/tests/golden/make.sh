#!/bin/sh
# Writes what CPython 3.13 prints for each of these scripts. Run it in this folder.
for name in math random module; do
    python3.13 -P "${name}_calls.py" > "${name}_calls.txt"
done
