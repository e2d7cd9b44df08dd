# Event files of torch.utils.tensorboard: the bytes of each record after the first, whose time is that of the run.
import io
import os
import struct
import tempfile

import torch
from PIL import Image
from torch.utils.tensorboard import SummaryWriter


def records(folder):
    """The records of the files in a folder, in the order in which the files were made."""
    found = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            continue
        assert name.startswith("events.out.tfevents."), name
        with open(path, "rb") as file:
            data = file.read()
        at, own = 0, []
        while at < len(data):
            (length,) = struct.unpack("<Q", data[at:at + 8])
            own.append(data[at:at + 16 + length])
            at += 16 + length
        # The version of the file and who wrote it, without the time.
        assert own[0][:8] == struct.pack("<Q", len(own[0]) - 16)
        print("begins with", own[0][21:-4])
        found += own[1:]
    return found


def shown(folder):
    for record in records(folder):
        print(record.hex())


home = tempfile.mkdtemp()


def into(name):
    return os.path.join(home, name)


# Numbers
with SummaryWriter(into("scalars")) as writer:
    writer.add_scalar("loss", 0.5, 1, walltime=1.5)
    writer.add_scalar("loss", 0, 0, walltime=2)
    writer.add_scalar("loss", torch.tensor([[-1.25]]), 300, walltime=3)
    writer.add_scalar("a/tag with ümlaut", float("inf"), torch.tensor(7), walltime=4)
    writer.add_scalar("loss", float("nan"), -1, walltime=5)
    writer.add_scalar("large", 1e30, 2**40, walltime=5)
    writer.add_scalar("no step", True, walltime=5)
    writer.add_scalar("new", 2.5, 4, walltime=6, new_style=True)
    writer.add_scalar("new", 0.1, 4, walltime=6, new_style=True, double_precision=True)
    print(writer.get_logdir() == into("scalars"))
shown(into("scalars"))

with SummaryWriter(into("several")) as writer:
    for step in range(2):
        writer.add_scalars("run/a", {"train": 1.5 * step, "test": 2.5}, step, walltime=10 + step)
print(sorted(name for name in os.listdir(into("several")) if not name.startswith("events")))
shown(into("several"))
shown(into("several/run_a_train"))
shown(into("several/run_a_test"))

# Histograms: whole numbers and quarters, so that sums are exact
with SummaryWriter(into("histograms")) as writer:
    writer.add_histogram("w", torch.arange(-4, 5) * 0.25, 1, walltime=1)
    writer.add_histogram("zeros", torch.zeros(3, 2), 2, walltime=1)
    writer.add_histogram("whole", torch.tensor([1, 2, 2, 8]), 2, walltime=1)
    writer.add_histogram("few", torch.tensor([1.0, 2.0, 2.0, 4.0]), 3, bins=[0, 1, 2, 3, 4, 5], walltime=1)
    writer.add_histogram("count", torch.tensor([1.0, 2.0, 2.0, 5.0]), 3, bins=4, walltime=1)
    writer.add_histogram("fewer", torch.arange(10.0), 4, bins=list(range(11)), max_bins=4, walltime=1)
    writer.add_histogram("half", torch.ones(2, dtype=torch.bfloat16), 5, bins=[0, 1, 2], walltime=1)
    writer.add_histogram_raw("raw", 0.5, 2.0, 3, 4.0, 6.0, [1.0, 2.0], [1, 2], 6, walltime=1)
shown(into("histograms"))

# Texts
with SummaryWriter(into("texts")) as writer:
    writer.add_text("notes", "*bold* and ümlaut", 3, walltime=1)
    writer.add_text("notes", "", walltime=1)
shown(into("texts"))

# What is gone at a step, and files that go on after they were closed
writer = SummaryWriter(into("resumed"), purge_step=5, filename_suffix=".end")
writer.add_scalar("x", 1.0, 5, walltime=1)
writer.flush()
writer.close()
writer.close()
writer.add_scalar("x", 2.0, 6, walltime=2)
writer.close()
names = [name for name in os.listdir(into("resumed"))]
print(len(names), all(name.endswith(".end") for name in names))
for record in records(into("resumed")):
    # Without the time of the run.
    print(len(record), record[21:-4].hex())


def field(data, wanted):
    """The first message or text in a field of a message."""
    at = 0
    while at < len(data):
        key, at = number(data, at)
        if key & 7 == 0:
            value, at = number(data, at)
        elif key & 7 == 2:
            length, at = number(data, at)
            value, at = data[at:at + length], at + length
        else:
            size = 8 if key & 7 == 1 else 4
            value, at = data[at:at + size], at + size
        if key >> 3 == wanted:
            return value
    return None


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


# Images: what is packed differs between encoders, the pixels do not
steps = torch.arange(24).reshape(2, 3, 4)
images = [
    ("CHW", torch.cat([steps, steps[:1]]).to(torch.uint8) * 10),
    ("HWC", steps.permute(1, 2, 0)[:, :, :1] / 24),
    ("HW", steps[0].float() / 8 - 0.25),
    ("CHW", torch.arange(16, dtype=torch.uint8).reshape(4, 2, 2) * 16),
]
with SummaryWriter(into("images")) as writer:
    for letters, x in images:
        writer.add_image("image", x, 1, walltime=1, dataformats=letters)
    writer.add_images("images", torch.arange(9 * 12).reshape(9, 1, 3, 4) / 108, 2, walltime=1)
    writer.add_images("images", torch.arange(2 * 12).reshape(2, 2, 2, 3).to(torch.uint8), 2, walltime=1, dataformats="NHWC")
for record in records(into("images")):
    value = field(field(record[12:-4], 5), 1)
    image = field(value, 4)
    pixels = Image.open(io.BytesIO(field(image, 4)))
    colours = torch.frombuffer(bytearray(pixels.tobytes()), dtype=torch.uint8)
    print(field(value, 1), [field(image, n) for n in (1, 2, 3)], pixels.mode, pixels.size, colours.tolist())

# Hyperparameters
writer = SummaryWriter(into("hparams"))
writer.add_hparams({"lr": 0.1, "none": None}, {"loss": 0.25}, run_name="one", global_step=2)
writer.add_hparams({"name": "adam"}, {"loss": 1.0, "accuracy": 0.5}, {"name": ["adam", "sgd"]}, run_name="two")
writer.add_hparams({"on": True}, {}, {"on": [True, False]}, run_name="three")
writer.close()
for run in ("one", "two", "three"):
    for record in records(into(f"hparams/{run}")):
        print(record[21:-4].hex())


# What is refused
def refused(call):
    try:
        call()
        print("taken")
    except Exception as error:
        print(type(error).__name__)


writer = SummaryWriter(into("refused"))
refused(lambda: writer.add_scalar("x", torch.ones(2), 1))
refused(lambda: writer.add_scalar("x", "word", 1))
refused(lambda: writer.add_scalar("x", [1.0], 1))
refused(lambda: writer.add_histogram("x", torch.zeros(0), 1))
refused(lambda: writer.add_image("x", torch.zeros(3, 2), 1))
refused(lambda: writer.add_image("x", torch.zeros(3, 2, 2), 1, dataformats="CCW"))
refused(lambda: writer.add_hparams([], {}))
refused(lambda: writer.add_hparams({"x": []}, {}))
refused(lambda: writer.add_hparams({"x": 1}, {}, {"x": ["a"]}))
writer.close()
shown(into("refused"))
