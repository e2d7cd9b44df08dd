# `.npy` files: what NumPy wrote, what is written, and files that are damaged; compared with npy.txt.
import glowgrad as torch
from glowgrad import lab

# By NumPy: numpy.save of [[1.5, 2], [3, -0.25], [0.1, 7]] as float32, transposed.
numpy = bytes.fromhex(
    "934e554d5059010076007b276465736372273a20273c6634272c2027666f727472616e5f6f72646572273a2054"
    "7275652c20277368617065273a2028322c2033292c207d20202020202020202020202020202020202020202020"
    "202020202020202020202020202020202020202020202020202020202020202020202020200a0000c03f000000"
    "4000004040000080becdcccc3d0000e040"
)
x = lab.load_npy(numpy)
print(x, x.stride())
print(lab.save_npy(x.t().contiguous())[-24:] == numpy[-24:], len(lab.save_npy(x)) == len(numpy))

for dtype in (torch.float32, torch.float64, torch.float16, torch.int64, torch.int8, torch.bool):
    for shape in ((2, 3), (), (0, 4), (5,)):
        x = (torch.arange(30.0)[: torch.zeros(shape).numel()].reshape(shape) - 2).to(dtype)
        data = lab.save_npy(x)
        y = lab.load_npy(bytearray(data))
        assert y.dtype == dtype and y.shape == x.shape and torch.equal(x, y), (dtype, shape)
        assert data.index(b"\n") % 64 == 63

header = b"{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }\n"
swapped = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes([0, 1, 0, 2, 0, 3, 0, 4])
print(lab.load_npy(swapped))


def file(descr, shape):
    header = b"{'descr': " + descr + b", 'fortran_order': False, 'shape': " + shape + b", }\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


for wrong in (
    b"", b"PK", swapped[:-1], swapped[:20], swapped.replace(b"i2", b"O8"),
    swapped.replace(b"(2, 2)", b"(2,-2)"), swapped.replace(b"(2, 2)", b"(9**9)"),
    swapped.replace(b"(2, 2)", b"(9e99)"), swapped.replace(b"'>i2'", b"[1,2]"),
    # What fuzzing found, and what stands beside it.
    file(b"'<i4'", b"(1000000000000000000, 0)"), file(b"'<i4'", b"(0, 99999999999999999999)"),
    file(b"'Xi4'", b"(0,)"), file(b"'<i4'", b"''"), file(b"'<i4'", b"{}"), file(b"'<i4'", b"(True, 0)"),
    file(b"'<i4'", b"(" + b"0, " * 65 + b")"), file(b"'<i4'", b"[" * 2000), swapped.replace(b"\x01\x00", b"\x09\x00"),
):
    try:
        lab.load_npy(wrong)
        print("read", wrong)
    except ValueError as error:
        print(str(error)[:70])
try:
    lab.save_npy(torch.ones(2, dtype=torch.bfloat16))
except TypeError as error:
    print(error)
