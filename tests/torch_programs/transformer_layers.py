import torch
import torch.nn as nn
import torch.nn.functional as F


def rounded(x, digits=3):
    return [round(v, digits) + 0.0 for v in x.detach().flatten().tolist()]


def weighed(y):
    return (y * torch.arange(y.numel(), dtype=y.dtype).reshape(y.shape).cos()).sum()


for seed, given in enumerate([
    dict(), dict(batch_first=True), dict(norm_first=True), dict(activation="gelu"), dict(activation=F.gelu),
    dict(activation=nn.GELU()), dict(activation=nn.ReLU()), dict(activation=torch.tanh), dict(bias=False),
    dict(layer_norm_eps=0.1, batch_first=True, norm_first=True), dict(dtype=torch.float64),
]):
    dtype = given.get("dtype", torch.float32)
    torch.manual_seed(seed)
    layer = nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, **given)
    print(seed, layer if seed < 3 or seed == 5 else "", layer.activation_relu_or_gelu)
    for name, parameter in layer.named_parameters():
        print("  ", name, tuple(parameter.shape), rounded(parameter)[:3] if seed < 3 else "")
    x = torch.randn(3, 2, 4, dtype=dtype, requires_grad=True)
    y = layer(x)
    print(rounded(y))
    weighed(y).backward()
    print(rounded(x.grad, 3))
    for name, parameter in layer.named_parameters():
        print("    ", name, rounded(parameter.grad)[:None if seed < 3 else 4])
    print(rounded(layer(x[0])))

    torch.manual_seed(seed)
    layer = nn.TransformerDecoderLayer(4, 2, 6, dropout=0.0, **given)
    print(layer if seed < 3 or seed == 5 else "")
    if seed in (0, 8):
        print([(name, tuple(p.shape)) for name, p in layer.named_parameters()])
    first = given.get("batch_first", False)
    x = torch.randn(3, 2, 4, dtype=dtype, requires_grad=True)
    memory = torch.randn(*((3, 5) if first else (5, 2)), 4, dtype=dtype, requires_grad=True)
    y = layer(x, memory)
    print(rounded(y))
    weighed(y).backward()
    print(rounded(x.grad, 3), rounded(memory.grad, 3))
    print(rounded(layer.multihead_attn.in_proj_weight.grad)[:12])
    print(rounded(layer(x[:, 0], memory[:, 0])))

# Defaults, positions of arguments.
layer = nn.TransformerEncoderLayer(8, 4)
print(layer, sum(p.numel() for p in layer.parameters()))
layer = nn.TransformerDecoderLayer(8, 4, 16, 0.2, "gelu", 1e-6, True, True, False)
print(layer.norm_first, layer.self_attn.batch_first, layer.activation is F.gelu)

# Stacks: copies of one layer, whose weights begin equal.
torch.manual_seed(0)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0), 2, nn.LayerNorm(4))
print(encoder, encoder.num_layers, len(encoder.layers))
print(torch.equal(encoder.layers[0].linear1.weight, encoder.layers[1].linear1.weight))
print(encoder.layers[0].linear1.weight is encoder.layers[1].linear1.weight)
x = torch.randn(3, 2, 4)
y = encoder(x)
print(rounded(y), list(encoder.state_dict())[-4:])
weighed(y).backward()
print([rounded(p.grad) for p in encoder.parameters()][-6:])
decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6, dropout=0.0), num_layers=2)
print(decoder, decoder.norm)
z = decoder(torch.randn(2, 2, 4), y)
print(rounded(z))
print(rounded(encoder.eval()(x[:, 0])), rounded(decoder(torch.randn(2, 4), y[:, 0])))

# The whole of it.
for seed, given in enumerate([
    dict(), dict(batch_first=True), dict(norm_first=True, activation="gelu"),
    dict(bias=False, batch_first=True),
]):
    torch.manual_seed(seed)
    model = nn.Transformer(4, 2, 1, 2, 6, dropout=0.0, **given)
    print(model)
    print([rounded(p)[:2] for p in model.parameters()])
    src, tgt = torch.randn(2, 2, 4, requires_grad=True), torch.randn(2, 2, 4, requires_grad=True)
    mask = nn.Transformer.generate_square_subsequent_mask(2)
    y = model(src, tgt, tgt_mask=mask)
    print(rounded(y))
    weighed(y).backward()
    print(rounded(src.grad, 3), rounded(tgt.grad, 3))
    print(rounded(model.decoder.layers[0].self_attn.in_proj_weight.grad, 3))
    print(rounded(model(src[0], tgt[0])))
print(nn.Transformer.generate_square_subsequent_mask(3))
print(nn.Transformer.generate_square_subsequent_mask(2, dtype=torch.float64))
print(nn.Transformer.generate_square_subsequent_mask(2, device="cpu").device, model.d_model, model.nhead, model.batch_first)


class Doubling(nn.Module):
    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        return 2 * src


model = nn.Transformer(4, 2, num_decoder_layers=1, dim_feedforward=6, dropout=0.0, custom_encoder=Doubling())
print(model.encoder, rounded(model(src, tgt)))
