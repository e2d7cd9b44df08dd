def decode(ids, merges):
    vocab = {i: bytes([i]) for i in range(256)}
    for (a, b), new in sorted(merges.items(), key=lambda item: item[1]):
        vocab[new] = vocab[a] + vocab[b]
    data = b"".join(vocab[i] for i in ids)
    return data.decode("utf-8", errors="replace")
