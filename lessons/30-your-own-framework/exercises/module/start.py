class Module:
    """Finds its own parameters."""

    def parameters(self):
        """All that is to be learned, here and in what this module is made of."""
        return [value for value in vars(self).values() if hasattr(value, "_prev")]
