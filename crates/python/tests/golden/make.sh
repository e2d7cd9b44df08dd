#!/bin/sh
# Writes what CPython 3.13 and PyTorch print for each of these scripts. Run it in this folder;
# PYTHON is CPython 3.13, TORCH a Python that has PyTorch (2.9 made the committed files).
for name in math random module; do
    "${PYTHON:-python3.13}" -P "${name}_calls.py" > "${name}_calls.txt"
done
for name in tensors autograd nn limits; do
    sed 's/glowgrad/torch/g' "torch/$name.py" | "${TORCH:-python3}" -P - > "torch/$name.txt"
done
