# must say: step() is called once.
import glowgrad as torch


def unchanged(model, step):
    """The names of the parameters that one call of step() leaves as they are."""
    names = []
    for name, p in model.named_parameters():
        before = p.detach().clone()
        step()
        if torch.equal(before, p):
            names.append(name)
    return names
