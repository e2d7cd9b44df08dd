"""`torch.backends.xnnpack`: there is no XNNPACK here."""

enabled = False
