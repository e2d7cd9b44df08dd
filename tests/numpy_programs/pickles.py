"""Arrays, scalars and types in pickles: those that NumPy wrote, and those that are written here."""

import base64
import copy
import io
import pickle

import numpy as np

# What NumPy 2 wrote for six values, in the protocols 2, 4 and 5.
WRITTEN = {
    2: (
        "gAJdcQAoY251bXB5Ll9jb3JlLm11bHRpYXJyYXkKX3JlY29uc3RydWN0CnEBY251bXB5Cm5kYXJyYXkKcQJL"
        "AIVxA2NfY29kZWNzCmVuY29kZQpxBFgBAAAAYnEFWAYAAABsYXRpbjFxBoZxB1JxCIdxCVJxCihLAUsDhXEL"
        "Y251bXB5CmR0eXBlCnEMWAIAAABmNHENiYiHcQ5ScQ8oSwNYAQAAADxxEE5OTkr/////Sv////9LAHRxEWKJ"
        "aARYDQAAAAAAAAAAAMKAPwAAAEBxEmgGhnETUnEUdHEVYmgBaAJLAIVxFmgIh3EXUnEYKEsBSwJLA4ZxGWgM"
        "WAIAAABpOHEaiYiHcRtScRwoSwNoEE5OTkr/////Sv////9LAHRxHWKIaARYMAAAAAAAAAAAAAAAAwAAAAAA"
        "AAABAAAAAAAAAAQAAAAAAAAAAgAAAAAAAAAFAAAAAAAAAHEeaAaGcR9ScSB0cSFiaAFoAksAhXEiaAiHcSNS"
        "cSQoSwFLAoVxJWgMWAIAAABiMXEmiYiHcSdScSgoSwNYAQAAAHxxKU5OTkr/////Sv////9LAHRxKmKJaARY"
        "AgAAAAEAcStoBoZxLFJxLXRxLmJjbnVtcHkuX2NvcmUubXVsdGlhcnJheQpzY2FsYXIKcS9oD2gEWAQAAAAA"
        "AEBAcTBoBoZxMVJxMoZxM1JxNGgcaAFoAksAhXE1aAiHcTZScTcoSwFLAEsDhnE4aAxYAgAAAGY4cTmJiIdx"
        "OlJxOyhLA2gQTk5OSv////9K/////0sAdHE8YoljX19idWlsdGluX18KYnl0ZXMKcT0pUnE+dHE/YmUu"
    ),
    4: (
        "gASVrQEAAAAAAABdlCiMFm51bXB5Ll9jb3JlLm11bHRpYXJyYXmUjAxfcmVjb25zdHJ1Y3SUk5SMBW51bXB5"
        "lIwHbmRhcnJheZSTlEsAhZRDAWKUh5RSlChLAUsDhZRoBIwFZHR5cGWUk5SMAmY0lImIh5RSlChLA4wBPJRO"
        "Tk5K/////0r/////SwB0lGKJQwwAAAAAAACAPwAAAECUdJRiaANoBksAhZRoCIeUUpQoSwFLAksDhpRoDYwC"
        "aTiUiYiHlFKUKEsDaBFOTk5K/////0r/////SwB0lGKIQzAAAAAAAAAAAAMAAAAAAAAAAQAAAAAAAAAEAAAA"
        "AAAAAAIAAAAAAAAABQAAAAAAAACUdJRiaANoBksAhZRoCIeUUpQoSwFLAoWUaA2MAmIxlImIh5RSlChLA4wB"
        "fJROTk5K/////0r/////SwB0lGKJQwIBAJR0lGJoAYwGc2NhbGFylJOUaBBDBAAAQECUhpRSlGgbaANoBksA"
        "hZRoCIeUUpQoSwFLAEsDhpRoDYwCZjiUiYiHlFKUKEsDaBFOTk5K/////0r/////SwB0lGKJQwCUdJRiZS4="
    ),
    5: (
        "gAWVogEAAAAAAABdlCiME251bXB5Ll9jb3JlLm51bWVyaWOUjAtfZnJvbWJ1ZmZlcpSTlCiWDAAAAAAAAAAA"
        "AAAAAACAPwAAAECUjAVudW1weZSMBWR0eXBllJOUjAJmNJSJiIeUUpQoSwOMATyUTk5OSv////9K/////0sA"
        "dJRiSwOFlIwBQ5R0lFKUaAMoljAAAAAAAAAAAAAAAAAAAAADAAAAAAAAAAEAAAAAAAAABAAAAAAAAAACAAAA"
        "AAAAAAUAAAAAAAAAlGgHjAJpOJSJiIeUUpQoSwNoC05OTkr/////Sv////9LAHSUYksCSwOGlIwBRpR0lFKU"
        "aAMolgIAAAAAAAAAAQCUaAeMAmIxlImIh5RSlChLA4wBfJROTk5K/////0r/////SwB0lGJLAoWUaA50lFKU"
        "jBZudW1weS5fY29yZS5tdWx0aWFycmF5lIwGc2NhbGFylJOUaApDBAAAQECUhpRSlGgUaAMolgAAAAAAAAAA"
        "lGgHjAJmOJSJiIeUUpQoSwNoC05OTkr/////Sv////9LAHSUYksASwOGlGgOdJRSlGUu"
    ),
}
for protocol, text in WRITTEN.items():
    print(protocol, pickle.loads(base64.b64decode(text)))
# NumPy 1 named the same functions elsewhere.
old = base64.b64decode(WRITTEN[2]).replace(b"numpy._core.", b"numpy.core.")
print(pickle.loads(old, encoding="latin-1")[0])

data = {
    "table": np.arange(6, dtype=np.float32).reshape(2, 3).T,
    "flags": np.array([True, False]),
    "labels": np.array([3, 1], dtype=np.uint8),
    "best": np.float64(0.25),
    "count": np.int64(7),
    "dtype": np.dtype("int16"),
    "empty": np.zeros((2, 0)),
    "number": np.array(2.5),
}
for protocol in 2, 3, 4:
    again = pickle.loads(pickle.dumps(data, protocol))
    print(again)
    print(type(again["best"]), type(again["count"]), again["dtype"] == np.int16)
again["table"][0, 0] = 9.0
print(again["table"][0], data["table"][0])
print(pickle.dumps(np.arange(3, dtype=np.int16), 4))
print(pickle.dumps(np.float32(1.5), 2))
print(np.arange(2).__reduce__()[1:], np.dtype("bool").__reduce__()[1:])

file = io.BytesIO()
for row in range(3):
    pickle.dump((row, np.full(2, row)), file)
file.seek(0)
print([pickle.load(file) for _ in range(3)])
print(copy.deepcopy(data)["labels"], copy.copy(data["flags"]))
