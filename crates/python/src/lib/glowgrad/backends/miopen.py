"""`torch.backends.miopen`: there is no MIOpen here."""

immediate = False
