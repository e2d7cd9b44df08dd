"""Tutorials: regression, a network of two layers, k-means, principal components, in NumPy alone."""
import numpy as np

np.random.seed(42)
X = 2 * np.random.rand(100, 1)
y = 4 + 3 * X + np.random.randn(100, 1)
Xb = np.c_[np.ones((100, 1)), X]
print(np.linalg.inv(Xb.T @ Xb) @ Xb.T @ y, np.linalg.lstsq(Xb, y, rcond=None)[0], np.linalg.pinv(Xb).dot(y))
theta = np.random.randn(2, 1)
for step in range(200):
    gradients = 2 / 100 * Xb.T.dot(Xb.dot(theta) - y)
    theta = theta - 0.1 * gradients
print(theta, float(((Xb @ theta - y) ** 2).mean()).__round__(6))


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


inputs = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]])
outputs = np.array([[0], [1], [1], [0]])
np.random.seed(1)
w0, w1 = 2 * np.random.random((3, 4)) - 1, 2 * np.random.random((4, 1)) - 1
for epoch in range(1000):
    hidden = sigmoid(np.dot(inputs, w0))
    guess = sigmoid(np.dot(hidden, w1))
    error = outputs - guess
    delta = error * guess * (1 - guess)
    hidden_delta = delta.dot(w1.T) * hidden * (1 - hidden)
    w1 += hidden.T.dot(delta)
    w0 += inputs.T.dot(hidden_delta)
    if epoch % 250 == 0:
        print(f"epoch {epoch}: {np.mean(np.abs(error)):.6f}")
print(guess.round(4))


def softmax(z):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


N, D, K = 50, 2, 3
P, labels = np.zeros((N * K, D)), np.zeros(N * K, dtype="uint8")
np.random.seed(0)
for j in range(K):
    ix = range(N * j, N * (j + 1))
    r = np.linspace(0.0, 1, N)
    t = np.linspace(j * 4, (j + 1) * 4, N) + np.random.randn(N) * 0.2
    P[ix] = np.c_[r * np.sin(t), r * np.cos(t)]
    labels[ix] = j
W, b = 0.01 * np.random.randn(D, K), np.zeros((1, K))
for i in range(100):
    probs = softmax(np.dot(P, W) + b)
    loss = -np.log(probs[range(N * K), labels]).sum() / (N * K) + 0.5e-3 * np.sum(W * W)
    if i % 25 == 0:
        print("iteration %d: loss %f" % (i, loss))
    dscores = probs.copy()
    dscores[range(N * K), labels] -= 1
    dscores /= N * K
    W += -1.0 * (np.dot(P.T, dscores) + 1e-3 * W)
    b += -1.0 * np.sum(dscores, axis=0, keepdims=True)
predicted = np.argmax(np.dot(P, W) + b, axis=1)
print("training accuracy: %.2f" % (np.mean(predicted == labels)), np.bincount(predicted), np.eye(K)[labels].shape)
centres = P[np.random.choice(len(P), 3, replace=False)]
for _ in range(10):
    distance = np.linalg.norm(P[:, np.newaxis] - centres, axis=2)
    nearest = distance.argmin(axis=1)
    centres = np.array([P[nearest == k].mean(axis=0) for k in range(3)])
print(centres.round(4), np.unique(nearest, return_counts=True))
centred = P - P.mean(axis=0)
values, vectors = np.linalg.eigh(np.cov(centred.T))
order = np.argsort(values)[::-1]
print(values[order].round(6), (values[order] / values.sum()).round(4), np.abs(vectors[:, order]).round(4), np.linalg.svd(centred, full_matrices=False)[1].round(5))
train = np.random.rand(len(P)) < 0.8
print(train.sum(), P[train].shape, P[~train].shape, (P[train] - P[train].mean(0)).std(0).round(6))
batches = [batch for batch in np.array_split(np.random.permutation(20), 3)]
print(batches, [len(batch) for batch in batches])
kernel = np.array([[1, 0, -1]] * 3)
image = np.arange(25.0).reshape(5, 5) ** 1.5
windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3))
print(np.einsum("ijkl,kl->ij", windows, kernel).round(4), (windows * kernel).sum((2, 3)).shape)
hist = {"loss": [], "acc": []}
for k in range(3):
    hist["loss"].append(np.exp(-k))
    hist["acc"].append(1 - 0.5 ** (k + 1))
print({k: np.round(v, 4).tolist() for k, v in hist.items()}, np.array(hist["loss"]).argmin(), np.mean(hist["acc"]))
