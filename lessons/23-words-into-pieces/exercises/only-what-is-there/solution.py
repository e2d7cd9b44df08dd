def merge(ids, pair, new):
    a, b = pair
    out, i = [], 0
    while i < len(ids):
        if ids[i] == a and ids[i + 1 : i + 2] == [b]:
            out.append(new)
            i += 2
        else:
            out.append(ids[i])
            i += 1
    return out


def encode(word, merges):
    ids = list(word.encode("utf-8"))
    while True:
        known = [pair for pair in zip(ids, ids[1:]) if pair in merges]
        if not known:
            return ids
        best = min(known, key=merges.get)
        ids = merge(ids, best, merges[best])
