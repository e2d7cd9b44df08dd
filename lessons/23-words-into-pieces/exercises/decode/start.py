def decode(ids, merges):
    # A token below 256 is one byte. And the others?
    return "".join(chr(i) for i in ids)
