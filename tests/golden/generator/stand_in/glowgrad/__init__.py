"""Stands in for glowgrad under PyTorch: gives the networks of `glowgrad.models`, whose files import torch alone."""

from pathlib import Path

__path__ = [str(Path(__file__).parents[5] / "crates/python/src/lib/glowgrad")]
