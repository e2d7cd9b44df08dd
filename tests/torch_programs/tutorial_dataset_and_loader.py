# Data in files and in memory: datasets, samplers, transforms, batches of unequal length, all sorts of loaders.
import csv
import os
import random
import tempfile

import numpy as np
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import (
    ConcatDataset, DataLoader, Dataset, IterableDataset, Subset, TensorDataset, WeightedRandomSampler,
    random_split,
)

random.seed(0), np.random.seed(0), torch.manual_seed(0)
folder = tempfile.mkdtemp()
with open(os.path.join(folder, "plants.csv"), "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["height", "leaves", "kind"])
    for i in range(12):
        writer.writerow([f"{0.5 + 0.1 * i:.2f}", 3 + i % 4, ["fern", "moss", "reed"][i % 3]])


class Plants(Dataset):
    """Rows of a table in a file."""

    def __init__(self, path, transform=None, target_transform=None):
        with open(path) as file:
            self.rows = list(csv.DictReader(file))
        self.kinds = sorted({row["kind"] for row in self.rows})
        self.transform, self.target_transform = transform, target_transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        x = np.array([float(row["height"]), int(row["leaves"])], dtype=np.float32)
        y = self.kinds.index(row["kind"])
        if self.transform:
            x = self.transform(x)
        if self.target_transform:
            y = self.target_transform(y)
        return {"x": x, "y": y, "name": row["kind"]}


class Compose:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, x):
        for step in self.steps:
            x = step(x)
        return x


plants = Plants(
    os.path.join(folder, "plants.csv"),
    transform=Compose(lambda x: x / np.float32([1.0, 6.0]), torch.from_numpy),
    target_transform=lambda y: torch.zeros(3).scatter_(0, torch.tensor(y), value=1),
)
print(len(plants), plants[1])
for i, batch in enumerate(DataLoader(plants, batch_size=5, shuffle=True)):
    print(i, batch["x"].shape, batch["y"].argmax(1), batch["name"])
train, test = random_split(plants, [9, 3], generator=torch.Generator().manual_seed(42))
print(train.indices, test.indices, len(ConcatDataset([train, test])), len(Subset(plants, [1, 4])))


class Sentences(Dataset):
    def __init__(self, lengths):
        self.data = [torch.randint(1, 9, (n,)) for n in lengths]

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return self.data[i], len(self.data[i])


def collate(batch):
    batch.sort(key=lambda pair: pair[1], reverse=True)
    texts, lengths = zip(*batch)
    return pad_sequence(texts, batch_first=True, padding_value=0), torch.tensor(lengths)


for texts, lengths in DataLoader(Sentences([3, 1, 4, 2]), batch_size=4, collate_fn=collate):
    print(texts, lengths, pack_padded_sequence(texts, lengths, batch_first=True).batch_sizes)


class Stream(IterableDataset):
    def __init__(self, stop):
        self.stop = stop

    def __iter__(self):
        a, b = 0, 1
        while a < self.stop:
            yield a
            a, b = b, a + b


print(list(DataLoader(Stream(40), batch_size=4)), list(DataLoader(Stream(40), batch_size=4, drop_last=True)))
few = TensorDataset(torch.arange(10.0).view(5, 2), torch.tensor([0, 0, 0, 0, 1]))
weights = torch.tensor([0.25, 0.25, 0.25, 0.25, 1.0])
sampler = WeightedRandomSampler(weights, num_samples=10, replacement=True)
loader = DataLoader(few, batch_size=5, sampler=sampler, num_workers=0, pin_memory=False)
print([labels.tolist() for _, labels in loader], len(loader), loader.batch_size, loader.dataset is few)
again = [
    [x[0].tolist() for x in DataLoader(few, shuffle=True, generator=torch.Generator().manual_seed(3))]
    for _ in range(2)
]
print(again[0] == again[1], again[0][:2])
x, y = next(iter(DataLoader(few, batch_size=2)))
print(x, y)
endless = iter(loader)
seen = 0
while seen < 4:
    try:
        x, y = next(endless)
    except StopIteration:
        endless = iter(loader)
        continue
    seen += 1
print(seen, x.shape)
np.save(os.path.join(folder, "x.npy"), few.tensors[0].numpy())
print(torch.from_numpy(np.load(os.path.join(folder, "x.npy"))).sum(), sorted(os.listdir(folder)))
for wrong in (
    lambda: DataLoader(few, shuffle=True, sampler=sampler), lambda: DataLoader(few, batch_size=0),
    lambda: TensorDataset(torch.ones(2), torch.ones(3)), lambda: random_split(few, [2, 2]),
):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, error)
