import torch
import torch.nn as nn
import torch.nn.functional as F


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


tried(lambda: nn.MultiheadAttention(5, 2))
tried(lambda: nn.MultiheadAttention(0, 2))
tried(lambda: nn.MultiheadAttention(4, -1))
kind(lambda: nn.MultiheadAttention(4))
kind(lambda: nn.MultiheadAttention(4, 2, heads=1))
m = nn.MultiheadAttention(4, 2)
x = torch.zeros(3, 2, 4)
kind(lambda: m(x))
kind(lambda: m(x, x, x, wrong=1))
tried(lambda: m(x[None], x, x))
tried(lambda: m(x[0, 0], x, x))
tried(lambda: m(x, x[0], x))
tried(lambda: m(x[0], x, x))
tried(lambda: m(x[0], x[0], x[0], key_padding_mask=torch.zeros(1, 2)))
tried(lambda: m(x[0], x[0], x[0], attn_mask=torch.zeros(3)))
tried(lambda: m(x[0], x[0], x[0], attn_mask=torch.zeros(3, 2, 2)))
tried(lambda: m(x, x, x, key_padding_mask=torch.zeros(3)))
tried(lambda: m(x, x, x, key_padding_mask=torch.zeros(3, 3)))
tried(lambda: m(x, x, x, key_padding_mask=torch.zeros(2, 4)))
tried(lambda: m(x, x, x, key_padding_mask=torch.zeros(2, 3, dtype=torch.int64)))
tried(lambda: m(x, x, x, attn_mask=torch.zeros(3)))
tried(lambda: m(x, x, x, attn_mask=torch.zeros(3, 4)))
tried(lambda: m(x, x, x, attn_mask=torch.zeros(3, 3, 3)))
tried(lambda: m(x, x, x, attn_mask=torch.zeros(3, 3, dtype=torch.int32)))
tried(lambda: m(x, x, x, is_causal=True))
tried(lambda: m(torch.zeros(3, 2, 6), torch.zeros(3, 2, 6), torch.zeros(3, 2, 6)))
tried(lambda: m(x, x, torch.zeros(5, 2, 4)))
other = nn.MultiheadAttention(4, 2, kdim=3, vdim=5)
tried(lambda: other(x, torch.zeros(5, 2, 3), torch.zeros(4, 2, 5)))
tried(lambda: other(x, torch.zeros(5, 2, 4), torch.zeros(5, 2, 5)))
tried(lambda: other(x, torch.zeros(5, 2, 3), torch.zeros(5, 2, 3)))
tried(lambda: other(x, torch.zeros(5, 2, 3), torch.zeros(5, 2, 5))[0].shape)


def call(**changes):
    given = dict(
        query=x, key=x, value=x, embed_dim_to_check=4, num_heads=2, in_proj_weight=torch.zeros(12, 4),
        in_proj_bias=None, bias_k=None, bias_v=None, add_zero_attn=False, dropout_p=0.0,
        out_proj_weight=torch.zeros(4, 4), out_proj_bias=None,
    )
    return F.multi_head_attention_forward(**{**given, **changes})[0].shape


tried(lambda: call())
tried(lambda: call(embed_dim_to_check=5))
tried(lambda: call(num_heads=3))
tried(lambda: call(in_proj_weight=None))
tried(lambda: call(use_separate_proj_weight=True))
tried(lambda: call(use_separate_proj_weight=True, q_proj_weight=torch.zeros(4, 4)))
tried(lambda: call(use_separate_proj_weight=True, q_proj_weight=torch.zeros(4, 4), k_proj_weight=torch.zeros(4, 4)))
tried(lambda: call(bias_k=torch.zeros(1, 1, 4)))
tried(lambda: call(bias_v=torch.zeros(1, 1, 4)))
both = dict(bias_k=torch.zeros(1, 1, 4), bias_v=torch.zeros(1, 1, 4))
tried(lambda: call(**both))
tried(lambda: call(**both, static_k=torch.zeros(4, 3, 2)))
tried(lambda: call(**both, static_v=torch.zeros(4, 3, 2)))
tried(lambda: call(static_k=torch.zeros(3, 3, 2)))
tried(lambda: call(static_k=torch.zeros(4, 3, 3)))
tried(lambda: call(static_v=torch.zeros(3, 3, 2)))
tried(lambda: call(static_v=torch.zeros(4, 3, 3)))
tried(lambda: call(use_separate_proj_weight=True, q_proj_weight=torch.zeros(4, 3), k_proj_weight=x, v_proj_weight=x))
tried(lambda: call(dropout_p=1.5))
kind(lambda: call(wrong=1))
