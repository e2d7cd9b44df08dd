import torch


def attempt(name, action):
    try:
        print(name, action())
    except Exception as error:
        print(name, type(error).__name__)


i8, u8 = torch.tensor([127, -128, 5], dtype=torch.int8), torch.tensor([250, 3, 128], dtype=torch.uint8)
print(i8 + 1, i8 * 2, -i8, i8.abs())
print(u8 + 10, u8 - 4, ~u8, u8 >> 1, u8 << 1)
print(i8 + u8, i8 + torch.tensor([1.5]), u8 * 0.5, u8 / 2, u8 // 7)
print(u8.sum(), u8.sum(dtype=torch.uint8), u8.float().mean(), i8.max(), u8.prod())

# A tensor with dimensions decides; a 0-d tensor and a number only raise the kind.
half = torch.ones(2, dtype=torch.float16)
print((half + torch.tensor(2.0)).dtype, (half + torch.ones(1)).dtype, (half + 3.7).dtype)
print((i8 + 1000).dtype, (i8 + torch.tensor(1000)).dtype, (i8 * True).dtype, (i8 + 1.0).dtype)
names = ["bool", "uint8", "int8", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
for a in names:
    row = [torch.promote_types(getattr(torch, a), getattr(torch, b)) for b in names]
    print(a.ljust(9), *[str(dtype).replace("torch.", "") for dtype in row])

# Casts cut towards zero; bool asks whether there is anything.
x = torch.tensor([-2.7, -0.5, 0.0, 0.5, 3.99])
print(x.int(), x.long(), x.short(), x.to(torch.int8), x.bool())
print(torch.tensor([300, -1, 65]).to(torch.uint8), torch.tensor([40000]).to(torch.int16))
print(torch.tensor([7, -7]) // 2, torch.tensor([7, -7]) % 3, torch.tensor([7, -7]).fmod(3))
print(torch.div(torch.tensor([7, -7]), 2, rounding_mode="trunc"), torch.tensor([7, -7]) / 2)
print(torch.tensor([True, False]) + True, torch.tensor([True, True]).sum(), torch.tensor([1, 2]) ** 2)
attempt("in place keeps its dtype", lambda: i8.add_(0.5))
attempt("integer into bool", lambda: torch.tensor([True]).mul_(3))
attempt("bool minus bool", lambda: torch.tensor([True]) - torch.tensor([False]))
