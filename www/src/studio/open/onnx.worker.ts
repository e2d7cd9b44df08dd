// Reads an ONNX model as a network, beside the page: a large model takes a while, and can be given up.
import { codec } from "../../engine/codec";

addEventListener("message", async ({ data }: MessageEvent<{ url: string; bytes: Uint8Array }>) => {
  try {
    const response = await fetch(data.url);
    if (!response.ok) throw new Error("The module that reads models did not arrive. Check the connection.");
    const module = await response.arrayBuffer();
    const answer = codec(() => module)("onnx-network", data.bytes);
    postMessage({ text: answer.text, bytes: answer.bytes.slice() });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    // A module that ran out of memory says nothing of use.
    const broke = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    postMessage({ error: broke ? `The model is too large to be read here (${text}).` : text });
  }
});
