"""Numbers and pictures that say how good a model is."""

import glowgrad as torch


def accuracy(output, target):
    """The part of a batch whose largest score is that of the target's class: a tensor of one element.

    >>> from glowgrad.training import accuracy
    >>> accuracy(torch.tensor([[0.1, 0.9], [0.8, 0.2]]), torch.tensor([1, 1]))
    """
    return (output.argmax(1) == target).float().mean()


@torch.no_grad()
def show_predictions(model, images, targets=None, classes=None, columns=8):
    """Draws images [N, C, H, W] or [N, H, W], each below what the model takes it for, and what it is.

    >>> from glowgrad.training import show_predictions
    >>> model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 2))
    >>> show_predictions(model, torch.rand(4, 1, 4, 4), torch.tensor([0, 1, 0, 1]))
    """
    import matplotlib.pyplot as plt

    was_training = model.training
    model.eval()
    guesses = model(images).argmax(1).tolist()
    model.train(was_training)
    wanted = [None] * len(guesses) if targets is None else torch.as_tensor(targets).tolist()
    name = (lambda index: str(index)) if classes is None else (lambda index: str(classes[index]))
    columns = min(columns, len(guesses))
    rows = (len(guesses) + columns - 1) // columns
    _, axes = plt.subplots(rows, columns, squeeze=False)
    for i, (guess, target) in enumerate(zip(guesses, wanted)):
        pixels = images[i]
        axis = axes[i // columns][i % columns]
        if pixels.dim() == 3:
            pixels = pixels[0] if pixels.shape[0] == 1 else pixels.permute(1, 2, 0)
        axis.imshow(pixels, cmap="gray")
        is_right = target is None or guess == target
        title = name(guess) if is_right else f"{name(guess)}, is {name(target)}"
        axis.set_title(title, color=None if is_right else "red")
    for axis in [axis for row in axes for axis in row]:
        axis.axis("off")
    plt.show()
