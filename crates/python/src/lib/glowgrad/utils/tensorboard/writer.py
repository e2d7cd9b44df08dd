"""`SummaryWriter`, whose calls are PyTorch's."""

import os
import time

from glowgrad.utils.tensorboard import _summaries
from glowgrad.utils.tensorboard._events import EventFile, event

# What a writer of PyTorch's does besides, and what does the same job here.
_INSTEAD = {
    "add_audio": "there is no encoder of sounds; save the tensor with torch.save",
    "add_custom_scalars": "lab.plot draws several curves in one plot",
    "add_custom_scalars_marginchart": "lab.plot draws several curves in one plot",
    "add_custom_scalars_multilinechart": "lab.plot draws several curves in one plot",
    "add_embedding": "write the vectors with safetensors.torch.save_file",
    "add_figure": "a figure is drawn below the cell; add_image takes pixels",
    "add_graph": "the stage shows the graph of a run, and torch.onnx.export writes one that Netron opens",
    "add_image_with_boxes": "draw the boxes with torchvision.utils.draw_bounding_boxes, and use add_image",
    "add_mesh": "TensorBoard's view of meshes needs a plugin of its own; save the tensor with torch.save",
    "add_onnx_graph": "open the ONNX file itself, for example in Netron",
    "add_pr_curve": "use add_scalars for precision and recall at each threshold",
    "add_pr_curve_raw": "use add_scalars for precision and recall at each threshold",
    "add_tensor": "save the tensor with torch.save",
    "add_video": "there is no encoder of GIF files; use add_images",
}


class SummaryWriter:
    """Writes event files below a folder, which `tensorboard --logdir runs` shows.

    >>> from torch.utils.tensorboard import SummaryWriter
    >>> writer = SummaryWriter("runs/first")
    >>> writer.add_scalar("loss", 0.5, 1)
    >>> writer.get_logdir()
    """

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""):
        if not log_dir:
            log_dir = os.path.join("runs", time.strftime("%b%d_%H-%M-%S") + "_glowgrad" + comment)
        self.log_dir, self.purge_step, self.filename_suffix = os.fspath(log_dir), purge_step, filename_suffix
        # Events are written at once: these two change nothing.
        self.max_queue, self.flush_secs = max_queue, flush_secs
        self.file_writer, self.all_writers = None, {}
        self._file()

    def _file(self):
        if self.file_writer is None:
            self.file_writer = EventFile(self.log_dir, self.filename_suffix)
            if self.purge_step is not None:
                self.file_writer.add(event(step=self.purge_step, file_version=EventFile.VERSION))
                self.file_writer.add(event(step=self.purge_step, starts=True))
                self.purge_step = None
        return self.file_writer

    def _add(self, summary, step, walltime=None):
        self._file().add(event(walltime, step, summary=summary))

    def get_logdir(self):
        """The folder of the event files."""
        return self.log_dir

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False):
        """A point of a curve."""
        self._add(_summaries.scalar(tag, scalar_value, new_style, double_precision), global_step, walltime)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        """A point of each of several curves in one plot: each has a folder of its own."""
        walltime = time.time() if walltime is None else walltime
        for tag, value in tag_scalar_dict.items():
            summary = _summaries.scalar(main_tag, value)
            folder = self._file().log_dir + "/" + main_tag.replace("/", "_") + "_" + tag
            if folder not in self.all_writers:
                self.all_writers[folder] = EventFile(folder, self.filename_suffix)
            self.all_writers[folder].add(event(walltime, global_step, summary=summary))

    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None, max_bins=None):
        """How the values of a tensor are spread."""
        self._add(_summaries.histogram(tag, values, bins, max_bins), global_step, walltime)

    def add_histogram_raw(
        self, tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts, global_step=None, walltime=None
    ):
        """A histogram that was computed elsewhere."""
        summary = _summaries.histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
        self._add(summary, global_step, walltime)

    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"):
        """An image: uint8, or numbers from 0 to 1."""
        self._add(_summaries.image(tag, img_tensor, dataformats, "add_image"), global_step, walltime)

    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW"):
        """Images beside each other."""
        self._add(_summaries.image(tag, img_tensor, dataformats, "add_images"), global_step, walltime)

    def add_text(self, tag, text_string, global_step=None, walltime=None):
        """A text, in Markdown."""
        self._add(_summaries.text(tag, text_string), global_step, walltime)

    def add_hparams(self, hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None, global_step=None):
        """The hyperparameters of a run and what it came to, in a folder of their own."""
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("add_hparams: hparam_dict and metric_dict are to be dictionaries")
        summaries = _summaries.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self._file().log_dir, run_name or str(time.time()))
        with SummaryWriter(folder) as writer:
            for summary in summaries:
                writer._add(summary, global_step)
            for name, value in metric_dict.items():
                writer.add_scalar(name, value, global_step)

    def __getattr__(self, name):
        if name in _INSTEAD:
            raise NotImplementedError(f"SummaryWriter has no {name} here; instead: {_INSTEAD[name]}")
        raise AttributeError(f"'SummaryWriter' object has no attribute {name!r}", name=name, obj=self)

    def flush(self):
        """Nothing waits to be written: each event is in its file at once."""

    def close(self):
        """Ends the files; a later call begins new ones."""
        self.file_writer, self.all_writers = None, {}

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.close()
