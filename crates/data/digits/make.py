"""Makes digits.bin from scikit-learn's digits.csv.gz.

Run once by hand, with scikit-learn installed:

    python crates/data/digits/make.py

The CSV has one row per image: 64 pixels in 0..16 in row-major order, then the digit.
digits.bin is the same rows, one byte per number, no header: 1,797 rows of 65 bytes.
ATTRIBUTION.md says whose data this is.
"""

import gzip
import hashlib
from importlib import resources
from pathlib import Path

SHA256_OF_THE_CSV = "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22"

packed = resources.files("sklearn.datasets").joinpath("data/digits.csv.gz").read_bytes()
found = hashlib.sha256(packed).hexdigest()
if found != SHA256_OF_THE_CSV:
    raise SystemExit(f"digits.csv.gz is not the file this was made from: {found}")

rows = [[int(float(n)) for n in line.split(",")] for line in gzip.decompress(packed).decode().split()]
assert len(rows) == 1797 and all(len(row) == 65 for row in rows)
assert all(0 <= pixel <= 16 for row in rows for pixel in row[:64])
assert all(0 <= row[64] <= 9 for row in rows)
Path(__file__).with_name("digits.bin").write_bytes(bytes(n for row in rows for n in row))
