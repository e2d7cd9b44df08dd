// A stand-in for a language model's server: answers in the form of OpenAI's or Anthropic's API, well, slowly, wrongly and
// maliciously.
//
// Invariant: the name of the model says how it answers; each request is noted as it came. It listens on this computer alone.

import { createServer } from "node:http";

const HEAD = { format: "glowgrad.architecture", version: 1, name: "Asked" };

/** Two layers; `width` is what the second one takes. */
function twoLayers(width, more = {}) {
  const linear = (id, n_in, n_out, source) => ({
    id,
    type: "Linear",
    args: { in_features: n_in, out_features: n_out },
    inputs: [source],
  });
  const nodes = [linear("first", 8, 16, "x"), linear("second", width, 3, "first")];
  return { ...HEAD, inputs: [{ name: "x", shape: ["N", 8] }], nodes, outputs: ["second"], ...more };
}

/** Blocks in blocks: the network has 2 to the power of 40 nodes. */
function doubled() {
  const uses = (below) => [
    { id: "a", type: below, args: { n: "=2 * n" }, inputs: ["x"] },
    { id: "b", type: below, args: { n: "=2 * n + 1" }, inputs: ["a"] },
  ];
  const block = { inputs: ["x"], parameters: [{ name: "n", default: 1 }] };
  const blocks = [
    { ...block, name: "B0", nodes: [{ id: "a", type: "relu", inputs: ["x"] }], outputs: ["a"] },
  ];
  for (let i = 1; i < 40; i++)
    blocks.push({ ...block, name: `B${i}`, nodes: uses(`B${i - 1}`), outputs: ["b"] });
  return { ...twoLayers(16), nodes: [{ id: "all", type: "B39", inputs: ["x"] }], outputs: ["all"], blocks };
}

const SCRIPT = '<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>';
const relu = (_, i) => ({ id: `n${i}`, type: "relu", inputs: ["x"] });

/** Of each model what it says; the second text is for the second round. */
const SAYS = {
  right: [`Here it is.\n\`\`\`json\n${JSON.stringify(twoLayers(16))}\n\`\`\``],
  mended: [JSON.stringify(twoLayers(17)), JSON.stringify(twoLayers(16, { name: "Mended" }))],
  faulty: [JSON.stringify(twoLayers(17)), JSON.stringify(twoLayers(18))],
  prose: [`I would rather talk. ${SCRIPT}`],
  "asks for the key": ["To go on, I need your API key. Please paste it into the description."],
  cut: [JSON.stringify(twoLayers(16)).slice(0, -30)],
  noted: [JSON.stringify(twoLayers(16, { note: `""" ${SCRIPT}`, name: "Noted" }))],
  named: [JSON.stringify(twoLayers(16, { name: SCRIPT }))],
  many: [JSON.stringify(twoLayers(16, { nodes: Array.from({ length: 8_000 }, relu) }))],
  long: [JSON.stringify(twoLayers(16, { nodes: Array.from({ length: 100_000 }, relu) }))],
  deep: [`{"nodes": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  doubled: [JSON.stringify(doubled())],
  machinery: [JSON.stringify(twoLayers(16)).replace('"args":{', '"args":{"__proto__":{"harmed":1},')],
  huge: [JSON.stringify(twoLayers(16)).replace('"out_features":16', '"out_features":1e308')],
};

const STATUS = { refused: 401, busy: 429, broken: 500 };

export class ModelServer {
  requests = [];

  async start() {
    this.server = createServer((request, response) => {
      let body = "";
      request.on("data", (part) => (body += part));
      request.on("end", () => this.answer(request, response, body));
    });
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.address = `http://127.0.0.1:${this.server.address().port}`;
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  answer({ method, url, headers }, response, body) {
    const open = {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "*, authorization",
      "content-type": "application/json",
    };
    if (method === "OPTIONS") {
      response.writeHead(204, open).end();
      return;
    }
    const asked = body === "" ? {} : JSON.parse(body);
    const { model } = asked;
    this.requests.push({ method, url, headers, asked });
    const key = (headers.authorization ?? headers["x-api-key"] ?? "").replace("Bearer ", "");
    // The page asks whether there is a server at all.
    if (method === "GET") response.writeHead(200).end();
    else if (model === "closed") response.writeHead(200, { "content-type": "application/json" }).end("{}");
    // Nothing ends it but the page.
    else if (model === "slow") response.writeHead(200, open).write(" ");
    else if (model === "endless") response.writeHead(200, open).end("x".repeat(1_200_000));
    else if (model === "elsewhere") {
      response
        .writeHead(307, { ...open, location: `${this.address.replace("127.0.0.1", "localhost")}/taken` })
        .end();
    } else if (model in STATUS) {
      const error = { message: `No: ${key} ${SCRIPT}` };
      response.writeHead(STATUS[model], open).end(JSON.stringify({ error }));
    } else {
      const round = asked.messages.filter(({ role }) => role === "assistant").length;
      const texts = model === "echo" ? [JSON.stringify(twoLayers(16, { note: key }))] : SAYS[model];
      const text = texts[Math.min(round, texts.length - 1)];
      const isOpenAI = url.endsWith("/chat/completions");
      const said = isOpenAI
        ? { choices: [{ message: { content: text } }] }
        : { content: [{ type: "text", text }] };
      response.writeHead(200, open).end(JSON.stringify(said));
    }
  }
}
