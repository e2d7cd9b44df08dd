def encode(word, merges):
    ids = list(word.encode("utf-8"))
    # Which pair of neighbours is merged first, and until when?
    return ids
