// Reads CBOR (RFC 8949), as far as `glow lab` writes it: what JSON has, with numbers that JSON lacks.
//
// Invariant: a message is read to its end or refused with a sentence that says why; NaN, the infinities
// and −0 arrive as they were sent. Indefinite lengths, tags and byte strings are not written there.

const utf8 = new TextDecoder("utf-8", { fatal: true });

export function readCbor(bytes: Uint8Array): unknown {
  const reader = new Reader(bytes);
  const value = reader.value();
  if (reader.at !== bytes.length) throw new Error(`${bytes.length - reader.at} bytes after a CBOR value`);
  return value;
}

class Reader {
  at = 0;
  private readonly view: DataView;
  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  value(): unknown {
    const first = this.view.getUint8(this.at++);
    const kind = first >> 5;
    if (kind === 7) return this.simple(first & 31);
    const argument = this.argument(first & 31);
    switch (kind) {
      case 0:
        return argument;
      case 1:
        return -1 - argument;
      case 3:
        return utf8.decode(this.take(argument));
      case 4: {
        const list: unknown[] = [];
        for (let left = argument; left > 0; left--) list.push(this.value());
        return list;
      }
      case 5: {
        const entries: [string, unknown][] = [];
        for (let left = argument; left > 0; left--) entries.push([String(this.value()), this.value()]);
        return Object.fromEntries(entries);
      }
      default:
        throw new Error(`CBOR of kind ${kind} is not read here`);
    }
  }

  /** The number in five bits, or in the one, two, four or eight bytes after them. */
  private argument(bits: number): number {
    if (bits < 24) return bits;
    const { view } = this;
    switch (bits) {
      case 24:
        return view.getUint8(this.skip(1));
      case 25:
        return view.getUint16(this.skip(2));
      case 26:
        return view.getUint32(this.skip(4));
      case 27:
        return Number(view.getBigUint64(this.skip(8)));
      default:
        throw new Error(`a CBOR length of kind ${bits} is not read here`);
    }
  }

  private simple(bits: number): unknown {
    const { view } = this;
    switch (bits) {
      case 20:
        return false;
      case 21:
        return true;
      case 22:
        return null;
      case 25:
        return half(view.getUint16(this.skip(2)));
      case 26:
        return view.getFloat32(this.skip(4));
      case 27:
        return view.getFloat64(this.skip(8));
      default:
        throw new Error(`the CBOR value ${bits} is not read here`);
    }
  }

  private take(length: number): Uint8Array {
    const start = this.skip(length);
    if (this.at > this.bytes.length) throw new Error("a CBOR value breaks off");
    return this.bytes.subarray(start, this.at);
  }

  /** Goes on by this many bytes, and gives the place before them. */
  private skip(length: number): number {
    const start = this.at;
    this.at += length;
    return start;
  }
}

/** binary16: sign, five bits of exponent, ten of fraction. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}
