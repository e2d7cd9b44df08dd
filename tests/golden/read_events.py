"""Reads event files that glowgrad wrote with TensorBoard's own reader, and fails where it finds other things than were written.

    pip install tensorboard==2.21.0
    python tests/golden/read_events.py target/debug/glow
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

PROGRAM = """
import torch
from torch.utils.tensorboard import SummaryWriter

with SummaryWriter("runs") as writer:
    for step in range(200):
        writer.add_scalar("loss", 1 / (step + 1), step)
    writer.add_scalars("both", {"train": 0.5, "test": 0.25}, 3)
    writer.add_histogram("weights", torch.arange(1000.0), 1)
    writer.add_image("image", torch.rand(3, 5, 7), 2)
    writer.add_text("notes", "*bold*", 4)
    writer.add_hparams({"lr": 0.1}, {"accuracy": 0.75}, run_name="settings")
"""


def read(folder):
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    events.Reload()
    return events


def main(glow):
    with tempfile.TemporaryDirectory() as home:
        Path(home, "program.py").write_text(PROGRAM)
        subprocess.run([Path(glow).resolve(), "python", "program.py"], cwd=home, check=True)
        runs = Path(home, "runs")
        events = read(runs)
        losses = events.Scalars("loss")
        assert [event.step for event in losses] == list(range(200))
        assert all(abs(event.value - 1 / (event.step + 1)) < 1e-6 for event in losses)
        histogram = events.Histograms("weights")[0].histogram_value
        assert (histogram.num, histogram.min, histogram.max, histogram.sum) == (1000, 0, 999, 499500)
        assert sum(histogram.bucket) == 1000
        (image,) = events.Images("image")
        assert (image.width, image.height) == (7, 5) and image.encoded_image_string.startswith(b"\x89PNG")
        assert events.Tensors("notes/text_summary")[0].tensor_proto.string_val[0] == b"*bold*"
        assert read(runs / "both_train").Scalars("both")[0].value == 0.5
        settings = read(runs / "settings")
        assert settings.Scalars("accuracy")[0].value == 0.75
        assert "_hparams_/session_start_info" in settings.PluginTagToContent("hparams")
        print("TensorBoard reads all of it")


main(sys.argv[1])
