# Tokenizers: what they learn, what they make of a text, and what they refuse.
import torch
from glowgrad.text import BPETokenizer, CharTokenizer

verse = ("How much wood would a woodchuck chuck if a woodchuck could chuck wood? "
         "He would chuck, he would, as much as he could.\n" * 3)
tokenizer = CharTokenizer(verse)
print(tokenizer, tokenizer.vocab_size)
tokens = tokenizer.encode("would a chuck")
print(tokens, repr(tokenizer.decode(torch.tensor(tokens))))

pairs = BPETokenizer.train(verse, vocab_size=275)
print(pairs, pairs.merges)
for text in ("wood could", " woodchuck", "chuck!  \n\n he", "", "1 2,5", "snake_case", "grüne Äpfel 🍏", "don't"):
    tokens = pairs.encode(text)
    print(repr(text), tokens, pairs.decode(tokens) == text)
print(repr(pairs.decode([0xF0, 0x9F])), BPETokenizer.train("abcd", vocab_size=300).merges)
pairs.save("pairs.json")
print(BPETokenizer.load("pairs.json").merges == pairs.merges)
with open("pairs.json", "w") as file:
    file.write("[]")
import os


def refused(make):
    try:
        make()
    except ValueError as error:
        print(error)


refused(lambda: BPETokenizer.load("pairs.json"))
os.remove("pairs.json")
refused(lambda: CharTokenizer(""))
refused(lambda: tokenizer.encode("wood#"))
refused(lambda: tokenizer.decode([0, 99]))
refused(lambda: pairs.decode([-1]))
refused(lambda: BPETokenizer([(300, 1)]))
refused(lambda: BPETokenizer.train("x", vocab_size=255))
