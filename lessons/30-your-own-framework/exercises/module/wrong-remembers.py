# must say: Its own parameters, in the order in which they were set. given a module without attributes got ['a.weight', 'a.bias']
class Module:
    """Finds its own parameters."""

    def parameters(self, found=[]):
        """The default is made once, with the function, and kept for all modules."""
        for value in vars(self).values():
            if isinstance(value, Module):
                value.parameters(found)
            elif hasattr(value, "_prev") and value not in found:
                found.append(value)
        return found
