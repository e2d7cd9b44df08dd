import torch
import torch.nn as nn


def rounded(x, digits=3):
    return [round(v, digits) + 0.0 for v in x.detach().flatten().tolist()]


def tried(make):
    try:
        print("fine", make())
    except Exception as error:
        print(type(error).__name__, error)


def kind(make):
    try:
        make()
        print("fine")
    except Exception as error:
        print(type(error).__name__)


causal = nn.Transformer.generate_square_subsequent_mask(3)
bools = causal == float("-inf")
floats = torch.tensor([[0.0, -0.5, 1.0], [0.0, 0.0, 0.5], [1.0, 0.0, 0.0]])
padding = torch.tensor([[False, False, True], [False, True, True]])
added = torch.zeros(2, 3).masked_fill(padding, float("-inf"))
for first in (False, True):
    for norm_first in (False, True):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, batch_first=first, norm_first=norm_first)
        encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(4))
        x = torch.randn(2, 3, 4) if first else torch.randn(3, 2, 4)
        for masks in (
            dict(src_mask=bools), dict(src_mask=causal), dict(src_mask=floats), dict(src_mask=causal, is_causal=True),
            dict(src_key_padding_mask=padding), dict(src_key_padding_mask=added),
            dict(src_mask=bools, src_key_padding_mask=padding), dict(src_mask=floats, src_key_padding_mask=added),
            dict(src_mask=floats.expand(4, 3, 3)),
        ):
            print(rounded(layer(x, **masks)))
            if "src_mask" in masks:
                masks["mask"] = masks.pop("src_mask")
            print(rounded(encoder(x, **masks)))
        decoder_layer = nn.TransformerDecoderLayer(4, 2, 6, dropout=0.0, batch_first=first, norm_first=norm_first)
        decoder = nn.TransformerDecoder(decoder_layer, 2)
        memory = torch.randn(2, 2, 4)
        for masks in (
            dict(tgt_mask=causal), dict(tgt_mask=bools, tgt_is_causal=True), dict(memory_mask=floats[:, :2]),
            dict(tgt_key_padding_mask=padding), dict(memory_key_padding_mask=padding[:, :2]),
            dict(
                tgt_mask=floats, memory_mask=floats[:, 1:], tgt_key_padding_mask=added,
                memory_key_padding_mask=added[:, :2],
            ),
        ):
            print(rounded(decoder_layer(x, memory, **masks)))
            print(rounded(decoder(x, memory, **masks)))
        model = nn.Transformer(4, 2, 1, 1, 6, 0.0, batch_first=first, norm_first=norm_first)
        print(rounded(model(x, x, causal, causal, floats, added, added, added)))
        print(rounded(model(x, x, src_mask=causal, tgt_mask=causal, src_is_causal=True, tgt_is_causal=True)))

# In eval mode without gradients PyTorch leaves padded steps out, and their results are 0 before the last norm.
for norm in (None, nn.LayerNorm(4)):
    for more in (dict(), dict(enable_nested_tensor=False), dict(mask_check=False)):
        torch.manual_seed(1)
        layer = nn.TransformerEncoderLayer(4, 2, 6, dropout=0.5, batch_first=True)
        encoder = nn.TransformerEncoder(layer, 2, norm, **more).eval()
        x = torch.randn(2, 3, 4)
        print(rounded(encoder(x, src_key_padding_mask=padding)))
        with torch.no_grad():
            print(rounded(encoder(x, src_key_padding_mask=padding)))
            print(rounded(encoder(x, src_key_padding_mask=added)))
            if not more:
                print(rounded(encoder(x, src_key_padding_mask=padding.flip(1))))
            print(rounded(encoder(x, mask=causal)), rounded(encoder(x)))
            print(rounded(encoder.layers[0](x)), rounded(encoder.layers[0](x, src_key_padding_mask=padding))[:4])
        encoder.train()
        with torch.no_grad():
            torch.manual_seed(2)
            print(rounded(encoder(x, src_key_padding_mask=padding)))

# Dropout draws in PyTorch's order in every place; in eval mode there is none.
for first in (False, True):
    for norm_first in (False, True):
        torch.manual_seed(3)
        model = nn.Transformer(4, 2, 2, 2, 6, 0.3, batch_first=first, norm_first=norm_first)
        src, tgt = torch.randn(3, 2, 4), torch.randn(3, 2, 4)
        print(rounded(model(src, tgt)))
        print(rounded(model(src, tgt, tgt_mask=causal[:2, :2] if first else causal)))
        y = model.eval()(src, tgt)
        print(rounded(y), torch.equal(y, model(src, tgt)))

# Wrong calls.
layer = nn.TransformerEncoderLayer(4, 2, 6)
tried(lambda: nn.TransformerEncoderLayer(4, 2, activation="tanh"))
tried(lambda: nn.TransformerDecoderLayer(4, 2, activation="swish"))
tried(lambda: nn.TransformerEncoderLayer(5, 2))
kind(lambda: nn.TransformerEncoderLayer(4))
kind(lambda: nn.TransformerEncoderLayer(4, 2, wrong=1))
kind(lambda: nn.TransformerEncoder(layer))
kind(lambda: nn.TransformerEncoder(layer, 1, wrong=1))
tried(lambda: nn.TransformerEncoderLayer(4, 2, dropout=1.5))
tried(lambda: layer(torch.zeros(3, 2, 4), is_causal=True))
tried(lambda: layer(torch.zeros(3, 2, 4), src_mask=torch.zeros(2, 2)))
tried(lambda: layer(torch.zeros(3, 2, 4), src_mask=torch.zeros(3, 3, dtype=torch.int64)))
tried(lambda: layer(torch.zeros(3, 2, 4), src_key_padding_mask=torch.zeros(3, 2)))
tried(lambda: layer(torch.zeros(3, 2, 4), src_key_padding_mask=torch.zeros(2, 3, dtype=torch.uint8)))
tried(lambda: layer(torch.zeros(3, 2, 6)))
model = nn.Transformer(4, 2, 1, 1, 6)
tried(lambda: model(torch.zeros(3, 2, 4), torch.zeros(3, 3, 4)))
tried(lambda: model(torch.zeros(3, 2, 4), torch.zeros(3, 2, 6)))
tried(lambda: model(torch.zeros(3, 2, 6), torch.zeros(3, 2, 6)))
tried(lambda: nn.Transformer(4, 2, 1, 1, 6, batch_first=True)(torch.zeros(3, 2, 4), torch.zeros(2, 2, 4)))
kind(lambda: model(torch.zeros(3, 2, 4)))
kind(lambda: nn.Transformer(wrong=1))
