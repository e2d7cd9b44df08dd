# What other libraries write is read, and what is written is what they write.
import io
import os
import tempfile

import numpy as np
import torch
from PIL import Image
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load as load_arrays
from safetensors.torch import load, load_file, load_model, save, save_file, save_model
from torchvision.datasets import ImageFolder
from torchvision.io import ImageReadMode, decode_image, encode_png, read_image, write_png

folder = tempfile.mkdtemp()
path = os.path.join(folder, "x.safetensors")

tensors = {"weight": torch.arange(6.0).reshape(2, 3), "bias": torch.tensor([1, 2]), "half": torch.ones(2).half()}
save_file(tensors, path, metadata={"step": "7"})
print({name: (tensor.dtype, tuple(tensor.shape)) for name, tensor in sorted(load_file(path).items())})
print(os.listdir(folder))
with safe_open(path, framework="pt") as file:
    print(sorted(file.keys()), file.metadata(), file.get_tensor("bias"))
print(len(save(tensors)), load(save(tensors))["weight"])
print(load_arrays(save(tensors))["bias"])
try:
    load(save(tensors)[:-1])
except SafetensorError as error:
    print("SafetensorError")

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))
save_model(model, path)
other = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))
print(load_model(other, path))
print(torch.equal(model[0].weight, other[0].weight), sorted(load_file(path)))

arrays = {"a": np.arange(4), "b": np.ones((2, 2), dtype=np.float32)}
for write in (np.savez, np.savez_compressed):
    write(os.path.join(folder, "arrays"), np.arange(3), **arrays)
    with np.load(os.path.join(folder, "arrays.npz")) as file:
        print(sorted(file.files), file["a"], file["arr_0"], file["b"].dtype)

pixels = (torch.arange(3 * 4 * 5) * 4).to(torch.uint8).reshape(3, 4, 5)
write_png(pixels, os.path.join(folder, "a.png"))
read = read_image(os.path.join(folder, "a.png"))
print(read.dtype, read.shape, torch.equal(read, pixels))
print(decode_image(encode_png(pixels[:1])).shape, decode_image(encode_png(pixels[:1]), ImageReadMode.RGB).shape)
image = Image.open(os.path.join(folder, "a.png"))
print(image.size, image.mode, image.getpixel((1, 2)))
image = Image.new("RGB", (3, 2), (1, 2, 3))
file = io.BytesIO()
image.save(file, "png")
file.seek(0)
print(np.array(Image.open(file)).tolist())
print(Image.fromarray(np.zeros((2, 3), dtype=np.uint8)).mode)
try:
    Image.open(io.BytesIO(b"no image"))
except OSError as error:
    print(type(error).__name__)

for i, name in enumerate(["cat", "dog", "dog"]):
    os.makedirs(os.path.join(folder, "pets", name), exist_ok=True)
    write_png(pixels + i, os.path.join(folder, "pets", name, f"{i}.png"))
pets = ImageFolder(os.path.join(folder, "pets"))
print(len(pets), pets.classes, pets.targets, pets[2][0].getpixel((0, 0)), pets[2][1])
