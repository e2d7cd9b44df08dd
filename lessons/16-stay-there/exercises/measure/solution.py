import glowgrad as torch


def accuracy(model, images, labels, size):
    was = model.training
    model.eval()
    right = 0
    with torch.no_grad():
        for start in range(0, len(images), size):
            guesses = model(images[start : start + size]).argmax(dim=1)
            right += (guesses == labels[start : start + size]).sum().item()
    model.train(was)
    return right / len(images)
