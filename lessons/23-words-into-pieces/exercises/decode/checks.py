def compare(ids, merges, want):
    expect(decode(ids, merges), want, given=f"ids = {ids}, merges = {merges}")


def check_letters():
    """Tokens below 256 are bytes."""
    compare([104, 105], {}, "hi")
    compare([], {}, "")


def check_merged():
    """A merged token stands for both of its parts."""
    compare([256], {(104, 105): 256}, "hi")


def check_built_up():
    """A part may be a merged token itself."""
    compare([257, 33], {(104, 105): 256, (256, 256): 257}, "hihi!")


def check_spread():
    """A character may be spread over two tokens."""
    compare([116, 104, 195, 169], {}, "thé")
    compare([256, 257], {(240, 159): 256, (141, 181): 257}, "🍵")
    compare([256, 169], {(104, 195): 256}, "hé")


def check_any_order():
    """The dictionary may have any order."""
    compare([257], {(256, 33): 257, (104, 105): 256}, "hi!")


def check_cut():
    """At the end, a part of a character becomes the sign �."""
    compare([116, 104, 195], {}, "th\ufffd")
    compare([116, 256], {(240, 159): 256}, "t\ufffd")


def check_goes_on():
    """A part of a character in the middle takes nothing else with it."""
    compare([195, 104, 105], {}, "\ufffdhi")
    compare([104, 169, 105], {}, "h\ufffdi")


def check_text():
    """A whole text comes back."""
    text = "thé, чай, 茶 und 🍵"
    compare(list(text.encode("utf-8")), {}, text)


def check_left_alone():
    """The tokens and the dictionary stay as they were."""
    ids, merges = [257, 33], {(104, 105): 256, (256, 256): 257}
    decode(ids, merges)
    expect(ids, [257, 33], given="ids after the call")
    expect(sorted(merges.items()), [((104, 105), 256), ((256, 256), 257)], given="merges after the call")
