import torch
import torch.nn.functional as F

# A mask is drawn in the order in which the elements lie in memory.
x = torch.ones(4, 3, 5)
for view in (
    x, x.transpose(0, 1), x.transpose(1, 2), x.permute(2, 0, 1), x[:, 1:], x.transpose(0, 1)[1:], x[::2].transpose(0, 2),
):
    torch.manual_seed(0)
    y = F.dropout(view, 0.5)
    print(tuple(y.shape), y.flatten().int().tolist(), torch.rand(1).item())
torch.manual_seed(1)
q = torch.randn(2, 3, 2, 4).transpose(1, 2)
mask = torch.triu(torch.full((3, 3), float("-inf")), 1)
for options in (dict(), dict(attn_mask=mask), dict(is_causal=True), dict(scale=2.0)):
    torch.manual_seed(0)
    y = F.scaled_dot_product_attention(q, q, q, dropout_p=0.5, **options)
    print([round(v, 4) + 0.0 for v in y.flatten().tolist()])
