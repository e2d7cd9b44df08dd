def block(x, norm_1, attention, norm_2, mlp):
    x = attention(norm_1(x))
    x = mlp(norm_2(x))
    return x
