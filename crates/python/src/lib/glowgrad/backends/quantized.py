"""`torch.backends.quantized`: numbers are not quantised here."""

engine, supported_engines = "none", ["none"]
