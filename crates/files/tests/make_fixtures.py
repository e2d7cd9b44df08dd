"""Files of the real tools, and a check of what this crate writes.

    python make_fixtures.py          writes the files of PyTorch, NumPy, safetensors and Pillow
    python make_fixtures.py check    loads what the crate wrote (tests/fixtures/written.*) with these tools

Wants torch, numpy, safetensors and pillow. Numbers are counted up, so that the tests know them without these tools.
"""

import collections
import gzip
import io
import pathlib
import struct
import sys
import zipfile

import numpy as np
import torch
from PIL import Image

FIXTURES = pathlib.Path(__file__).parent / "fixtures"

DTYPES = {
    "float64": torch.float64, "float32": torch.float32, "float16": torch.float16,
    "bfloat16": torch.bfloat16, "int64": torch.int64, "int32": torch.int32, "int16": torch.int16,
    "int8": torch.int8, "uint8": torch.uint8, "bool": torch.bool, "uint16": torch.uint16,
    "uint32": torch.uint32, "uint64": torch.uint64,
}


def count(*shape, dtype=torch.float32):
    """0, 1, 2 … of this shape."""
    n = int(np.prod(shape))
    numbers = torch.arange(n).reshape(shape)
    return (numbers % 2 == 1) if dtype == torch.bool else numbers.to(dtype)


def save(name, data):
    (FIXTURES / name).write_bytes(data)


def buffer(write):
    out = io.BytesIO()
    write(out)
    return out.getvalue()


def npy():
    def array(name, a, version=None, pickled=False):
        write = np.lib.format.write_array
        save(f"{name}.npy", buffer(lambda out: write(out, np.asanyarray(a), version, pickled)))

    array("f4", np.arange(6, dtype="<f4").reshape(2, 3))
    array("f8_big_fortran", np.asfortranarray(np.arange(24, dtype=">f8").reshape(2, 3, 4)))
    array("i2_big", np.arange(5, dtype=">i2"))
    array("u4_fortran", np.asfortranarray(np.arange(6, dtype="<u4").reshape(2, 3)))
    array("bool", np.array([True, False, True]))
    array("f2_scalar", np.array(1.5, dtype="<f2"))
    array("i8_version2", np.arange(4, dtype="<i8"), (2, 0))
    array("u1_version3", np.arange(4, dtype="u1").reshape(2, 2), (3, 0))
    array("empty", np.zeros((0, 3), dtype="<f4"))
    array("refused_complex", np.zeros(2, dtype="<c8"))
    array("refused_text", np.array(["ab", "c"]))
    array("refused_objects", np.array([None, {}]), pickled=True)
    array("refused_records", np.zeros(2, dtype=[("x", "<f4"), ("y", "<i4")]))
    array("refused_dates", np.zeros(2, dtype="<M8[s]"))
    arrays = {"x": np.arange(6, dtype="<f4").reshape(2, 3), "y": np.arange(3, dtype=">i4")}
    save("stored.npz", buffer(lambda out: np.savez(out, **arrays)))
    save("deflated.npz", buffer(lambda out: np.savez_compressed(out, zeros=np.zeros(5000), **arrays)))


def safetensors_files():
    from safetensors.torch import save as save_tensors

    tensors = {f"t.{name}": count(2, 3, dtype=dtype) for name, dtype in DTYPES.items()}
    tensors["another"] = count(4)
    tensors["empty"] = count(0, 3)
    tensors["scalar"] = torch.tensor(7.0)
    save("all.safetensors", save_tensors(tensors, {"format": "pt", "author": "glowgrad", "ü": "\n"}))
    save("refused_f8.safetensors", save_tensors({"w": torch.zeros(4, dtype=torch.float8_e5m2)}))
    save("refused_complex.safetensors", save_tensors({"w": torch.zeros(2, dtype=torch.complex64)}))


class Model(torch.nn.Module):
    pass


def pt():
    def written(name, value, **options):
        save(name, buffer(lambda out: torch.save(value, out, **options)))

    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    with torch.no_grad():
        for tensor in model.state_dict().values():
            tensor.copy_(count(*tensor.shape))
    written("state_dict.pt", model.state_dict())
    tied = count(4)
    torch.serialization.set_crc32_options(False)
    written("no_checksums.pt", {"w": count(2, 3), "n": 70000})
    torch.serialization.set_crc32_options(True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.5)
    model(count(4, 2)).sum().backward()
    optimizer.step()
    checkpoint = {
        "model": collections.OrderedDict(a=tied, b=tied, row=tied[1:3]),
        "epoch": 3,
        "big": -(2**40),
        "loss": 0.25,
        "done": False,
        "name": "ünder",
        "nothing": None,
        "list": [1, "two", (3.0, True)],
        "size": torch.Size([2, 3]),
        "parameter": torch.nn.Parameter(count(2, 2)),
        "transposed": count(2, 3).t(),
        "step": count(10)[::3],
        "expanded": torch.tensor([5.0]).expand(2, 3),
        "scalar": torch.tensor(7.0),
        "empty": count(0, 3),
        "odd bools": torch.tensor([0, 2, 255], dtype=torch.uint8).view(torch.bool),
        5: "five",
        "dtypes": {name: count(2, 3, dtype=dtype) for name, dtype in DTYPES.items()},
        "optimizer": optimizer.state_dict(),
    }
    written("checkpoint.pt", checkpoint)
    written("protocol4.pt", {"w": count(2, 3), "n": 70000}, pickle_protocol=4)
    written("refused_legacy.pt", {"w": count(2)}, _use_new_zipfile_serialization=False)
    written("refused_module.pt", Model())
    written("refused_complex.pt", {"w": torch.zeros(2, dtype=torch.complex64)})
    written("refused_big.pt", {"n": 2**70})
    written("refused_set.pt", {"s": {1, 2}})
    script = torch.jit.script(torch.nn.ReLU())
    save("refused_script.pt", buffer(lambda out: torch.jit.save(script, out)))
    # The same files, deflated by another program, and as a machine of the other byte order has them.
    with zipfile.ZipFile(FIXTURES / "state_dict.pt") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}

    def zipped(name, files, method):
        def write(out):
            with zipfile.ZipFile(out, "w", method) as archive:
                for path, data in files.items():
                    archive.writestr(zipfile.ZipInfo(path), data, method)

        save(name, buffer(write))

    zipped("deflated.pt", files, zipfile.ZIP_DEFLATED)
    big = {path: data if "/data/" not in path else swap(data) for path, data in files.items()}
    zipped("big_endian.pt", {path: b"big" if path.endswith("byteorder") else data
                             for path, data in big.items()}, zipfile.ZIP_STORED)


def swap(data):
    """Each float32 turned around; the one int64 of a state dict as well."""
    return np.frombuffer(data, "<i8" if len(data) == 8 else "<i4").byteswap().tobytes()


def idx():
    def file(code, dtype, shape):
        numbers = np.arange(int(np.prod(shape)), dtype=dtype)
        return struct.pack(f">HBB{len(shape)}I", 0, code, len(shape), *shape) + numbers.tobytes()

    save("u1.idx", file(0x08, "u1", (5,)))
    save("images.idx.gz", gzip.compress(file(0x08, "u1", (2, 28, 28)), mtime=0))
    save("i2.idx", file(0x0B, ">i2", (2, 3)))
    save("i4.idx", file(0x0C, ">i4", (2, 3)))
    save("f4.idx", file(0x0D, ">f4", (1, 2, 3)))
    save("f8.idx", file(0x0E, ">f8", (1, 1, 2, 3)))


def cifar():
    image = bytes(i // 16 % 256 for i in range(3072))
    ten = b"".join(bytes([label]) + image for label in (3, 9, 0))
    hundred = b"".join(bytes([coarse, fine]) + image for coarse, fine in ((19, 99), (0, 1)))
    save("cifar10.bin.gz", gzip.compress(ten, mtime=0))
    save("cifar100.bin.gz", gzip.compress(hundred, mtime=0))


def images():
    y, x = np.mgrid[0:12, 0:16]
    rgb = np.stack([x * 16, y * 21, (x + y) * 9], axis=-1).astype("u1")

    def picture(name, image, **options):
        data = buffer(lambda out: image.save(out, name.rsplit(".")[-1].replace("jpg", "jpeg"), **options))
        save(name, data)
        return np.asarray(Image.open(io.BytesIO(data)))

    color = Image.fromarray(rgb)
    picture("rgb.png", color)
    picture("grey.png", color.convert("L"))
    picture("grey_alpha.png", color.convert("LA"))
    picture("alpha.png", Image.fromarray(np.dstack([rgb, rgb[..., :1]])))
    picture("one_bit.png", Image.fromarray((x > y)))
    picture("sixteen.png", Image.fromarray((x * 4096 + 255).astype("u2")))
    palette = color.quantize(8)
    picture("palette.png", palette)
    np.save(FIXTURES / "palette.npy", np.asarray(palette.convert("RGB")))
    np.save(FIXTURES / "grey_png.npy", np.asarray(color.convert("L")))
    # Numbers of JPEG are those of libjpeg; another decoder rounds otherwise.
    np.save(FIXTURES / "rgb_jpg.npy", picture("rgb.jpg", color, quality=95, subsampling=0))
    np.save(FIXTURES / "halved_jpg.npy", picture("halved.jpg", color, quality=95, subsampling=2))
    np.save(FIXTURES / "progressive_jpg.npy",
            picture("progressive.jpg", color, quality=90, progressive=True))
    np.save(FIXTURES / "grey_jpg.npy", picture("grey.jpg", color.convert("L"), quality=95))
    picture("cmyk.jpg", color.convert("CMYK"), quality=95)
    # Large enough to measure memory.
    y, x = np.mgrid[0:480, 0:640]
    smooth = Image.fromarray(np.stack([x // 4, y // 3, (x + y) // 6], axis=-1).astype("u1"))
    picture("large_halved.jpg", smooth, quality=30, subsampling=2)
    picture("large_progressive.jpg", smooth, quality=30, subsampling=0, progressive=True)
    picture("large.png", smooth.quantize(64))


def check():
    from safetensors import safe_open
    from safetensors.torch import load, save as save_tensors

    def same(got, wanted, what):
        assert got.dtype == wanted.dtype and got.shape == wanted.shape, (what, got, wanted)
        assert torch.equal(got, wanted), (what, got, wanted)

    wanted = {name: count(2, 3, dtype=dtype) for name, dtype in DTYPES.items()}
    data = (FIXTURES / "written.safetensors").read_bytes()
    tensors = load(data)
    assert tensors.keys() == wanted.keys()
    for name, tensor in wanted.items():
        same(tensors[name], tensor, name)
    assert save_tensors(wanted, {"format": "pt"}) == data
    with safe_open(FIXTURES / "written.safetensors", "pt") as file:
        assert file.metadata() == {"format": "pt"}

    for path in (FIXTURES / "written.pt", ):
        value = torch.load(path, weights_only=True)
        assert value["epoch"] == 3 and value["big"] == -(2**40) and value["loss"] == 0.25
        assert value["done"] is False and value["nothing"] is None and value["name"] == "ünder"
        assert value["list"] == [1, "two", (3.0, True)] and value[5] == "five"
        assert value["dtypes"].keys() == wanted.keys()
        for name, tensor in wanted.items():
            same(value["dtypes"][name], tensor, name)
        same(value["scalar"], torch.tensor(7.0), "scalar")
        same(value["empty"], count(0, 3), "empty")
        a, b = value["model"]["a"], value["model"]["b"]
        same(a, count(4), "a")
        assert a.data_ptr() == b.data_ptr()
        torch.load(path, weights_only=True, mmap=True)

    for name in ("written.npz", "written_deflated.npz"):
        with np.load(FIXTURES / name) as arrays:
            assert set(arrays) == set(wanted) - {"bfloat16"}
            for key in arrays:
                same(torch.from_numpy(arrays[key]), wanted[key], key)
    y, x = np.mgrid[0:12, 0:16]
    rgb = np.stack([x * 16, y * 21, (x + y) * 9], axis=-1).astype("u1")
    assert np.array_equal(np.asarray(Image.open(FIXTURES / "written.png")), rgb)
    print("what the crate wrote loads in", "torch", torch.__version__, "numpy", np.__version__)


if __name__ == "__main__":
    if sys.argv[1:] == ["check"]:
        check()
    else:
        FIXTURES.mkdir(exist_ok=True)
        for make in (npy, safetensors_files, pt, idx, cifar, images):
            make()
        sizes = sum(path.stat().st_size for path in FIXTURES.iterdir())
        print(f"{sizes} bytes in {FIXTURES}")
