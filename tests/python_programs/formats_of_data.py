import base64
import copy
import csv
import io
import pickle
import struct

rows = [["name", "n"], ["a, b", 1], ['say "hi"', 2.5], ["", None]]
out = io.StringIO()
writer = csv.writer(out)
writer.writerows(rows)
print(repr(out.getvalue()))
print(list(csv.reader(io.StringIO(out.getvalue()))))
for row in csv.DictReader(io.StringIO("x;y\n1;2\n3;4\n"), delimiter=";"):
    print(row)
out = io.StringIO()
writer = csv.DictWriter(out, fieldnames=["x", "y"], lineterminator="\n")
writer.writeheader()
writer.writerow({"x": 1, "y": 2})
print(out.getvalue())
try:
    writer.writerow({"z": 1})
except ValueError as e:
    print(e)
print(struct.pack("<IhB", 1, -2, 255), struct.unpack(">I", b"\0\0\1\2"), struct.calcsize("ihb"), struct.calcsize("<q2x"))
print(struct.pack(">f", 1.5), struct.unpack("<d", struct.pack("<d", 0.1)), struct.pack("5s", b"ab"), struct.unpack("<e", b"\0\x3c"))
print([struct.pack("<f", v).hex() for v in (0.1, 1e-45, 3.4e38, float("inf"), -0.0, 1e-40)])
for bad in (lambda: struct.pack("B", 256), lambda: struct.unpack("I", b"123"), lambda: struct.pack("I", "x")):
    try:
        bad()
    except struct.error as e:
        print(type(e).__name__, e)
print(list(struct.iter_unpack("<H", b"\1\0\2\0")), struct.Struct("<2H").size)


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


value = {"a": [1, 2.5, None, True, "text", b"bytes"], "t": (1, {2, 3}), "n": 10**30, "neg": -5}
for protocol in range(6):
    again = pickle.loads(pickle.dumps(value, protocol))
    print(protocol, again == value)
print(pickle.loads(b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00]\x94(K\x01K\x02K\x03e."))
point = pickle.loads(pickle.dumps(Point(1, [2])))
print(point.x, point.y, copy.deepcopy(point).y)
print(base64.b64encode(b"hello world"), base64.b64decode("aGVsbG8="), base64.b16encode(b"\xff\0"), base64.urlsafe_b64encode(b"\xfb\xff"))
