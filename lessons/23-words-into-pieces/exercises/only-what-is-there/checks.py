def compare(word, merges, want):
    expect(encode(word, merges), want, given=f"word = {word!r}, merges = {merges}")


def check_no_merges():
    """Without merges, a word is its bytes."""
    compare("ab", {}, [97, 98])
    compare("é", {}, [195, 169])


def check_one_merge():
    """A pair that stands in the merges becomes one token."""
    compare("ab", {(97, 98): 256}, [256])
    compare("cab", {(97, 98): 256}, [99, 256])


def check_not_there():
    """A pair that does not stand there stays."""
    compare("ba", {(97, 98): 256}, [98, 97])


def check_everywhere():
    """A pair is merged wherever it occurs."""
    compare("abcab", {(97, 98): 256}, [256, 99, 256])


def check_builds_up():
    """A new token can be merged with its neighbour."""
    compare("abc", {(97, 98): 256, (256, 99): 257}, [257])
    compare("cab", {(97, 98): 256, (99, 256): 257}, [257])


def check_earlier_first():
    """Two pairs want the same letter: the one that was learned first takes it."""
    compare("abc", {(98, 99): 256, (97, 98): 257}, [97, 256])
    compare("abc", {(97, 98): 256, (98, 99): 257}, [256, 99])


def check_no_letter_twice():
    """From left to right, and no letter is used twice."""
    compare("aaa", {(97, 97): 256}, [256, 97])
    compare("aaaa", {(97, 97): 256}, [256, 256])


def check_all_at_once():
    """A pair is merged everywhere before a later merge has its turn."""
    compare("abcab", {(97, 98): 256, (256, 99): 257, (99, 256): 258}, [257, 256])


def check_any_order():
    """The numbers tell the order, not the places in the dictionary."""
    compare("abc", {(97, 98): 257, (98, 99): 256}, [97, 256])
    compare("abcd", {(256, 258): 259, (99, 100): 258, (98, 99): 257, (97, 98): 256}, [259])


def check_short():
    """A word of one byte, and no word at all."""
    compare("a", {(97, 98): 256}, [97])
    compare("", {(97, 98): 256}, [])


def check_bytes():
    """Merges work on bytes, so an accent can become one token."""
    compare("née", {(195, 169): 256, (110, 256): 257}, [257, 101])


def check_left_alone():
    """The dictionary stays as it was."""
    merges = {(97, 98): 256, (256, 99): 257}
    encode("abcab", merges)
    expect(sorted(merges.items()), [((97, 98), 256), ((256, 99), 257)], given="merges after the call")
