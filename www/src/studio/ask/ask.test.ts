// @vitest-environment happy-dom
// What is found in an answer, where a request goes, and that the key stays where it belongs.
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Catalog, Net } from "../model";
import type { Ask } from "../module";
import { check, findNetwork } from "./answer";
import { askedFor } from "./asking";
import { promptOf } from "./prompt";
import { complete, endpointOf, type Kind, MOST_BYTES, type Service } from "./service";
import { STORED, settings } from "./settings.svelte";

const KEY = "sk-test-0123456789";
const net: Net = {
  format: "glowgrad.architecture",
  version: 1,
  name: "Net",
  inputs: [{ name: "x", shape: ["N", 4] }],
  nodes: [{ id: "fc", type: "Linear", inputs: ["x"] }],
  outputs: ["fc"],
};
const text = JSON.stringify(net);

function service(more: Partial<Service> = {}): Service {
  return { kind: "openai", address: "https://models.test", model: "m", key: KEY, ...more };
}

afterEach(() => vi.unstubAllGlobals());

describe("an answer", () => {
  it.each([
    ["alone", text],
    ["in a fence", `Here it is:\n\`\`\`json\n${text}\n\`\`\`\nDone {really}.`],
    ["in prose with braces", `A set {a, b}, and then ${text} "and a quote`],
    ["after a thought", `<think>{"nodes": 1} { not yet</think>${text}`],
  ])("holds a network %s", (_, answer) => {
    expect(findNetwork(answer)).toEqual({ net });
  });

  it.each([
    ["no JSON at all", "I cannot do that.", "holds no JSON"],
    ["a piece", text.slice(0, -20), "can be read"],
    ["another object", '{"answer": 42}', "can be read"],
    ["levels without end", `${'{"nodes":['.repeat(200_000)}`, "can be read"],
    ["levels that end", `{"nodes": ${"[".repeat(500)}${"]".repeat(500)}}`, "can be read"],
  ])("of %s is a sentence", (_, answer, part) => {
    expect(findNetwork(answer)).toEqual({ fault: expect.stringContaining(part) });
  });

  it("with keys of objects' own machinery changes no object", () => {
    const found = findNetwork(
      '{"nodes": [], "__proto__": {"isAdmin": true}, "constructor": {"prototype": {"isAdmin": true}}}',
    );
    expect(found).toHaveProperty("net");
    expect("isAdmin" in {}).toBe(false);
    const seen: unknown[] = [];
    const ask = ((_: string, beside: { net: Net }) => {
      seen.push(Object.keys(beside.net));
      return { error: "unknown field", line: null };
    }) as unknown as Ask;
    expect(check(ask, "net" in found ? found.net : {})).toEqual({ faults: ["unknown field"] });
    // As a key like any other it reaches the module, which refuses it.
    expect(seen[0]).toContain("__proto__");
  });
});

describe("an address", () => {
  it.each<[Kind, string, string]>([
    ["ollama", "http://localhost:11434", "http://localhost:11434/v1/chat/completions"],
    ["openai", "https://api.openai.com/", "https://api.openai.com/v1/chat/completions"],
    ["openai", "https://router.test/api/v1", "https://router.test/api/v1/chat/completions"],
    ["openai", "https://a.test/deep/chat/completions?v=2#x", "https://a.test/deep/chat/completions?v=2"],
    ["anthropic", "https://api.anthropic.com", "https://api.anthropic.com/v1/messages"],
    ["anthropic", "http://127.0.0.1:8000/v1/messages", "http://127.0.0.1:8000/v1/messages"],
  ])("of %s: %s", (kind, address, whole) => {
    expect(endpointOf({ kind, address }).href).toBe(whole);
  });

  it.each([
    ["", "is no address"],
    ["javascript:alert(1)", "is no address"],
    ["http://192.168.1.5:11434", "is not encrypted"],
    ["http://localhost.evil.test", "is not encrypted"],
    ["https://me:secret@a.test", "a user name or a password"],
    ["http://[::1]:11434", "Write 127.0.0.1"],
  ])("%s is refused", (address, part) => {
    expect(() => endpointOf({ kind: "openai", address })).toThrow(part);
  });
});

describe("a request", () => {
  const never = new AbortController().signal;
  const asked: { url: string; init: RequestInit }[] = [];

  function answering(make: () => Response | Promise<Response>) {
    asked.length = 0;
    vi.stubGlobal("fetch", async (url: URL, init: RequestInit) => {
      asked.push({ url: String(url), init });
      return await make();
    });
  }
  const saying = (content: unknown) => new Response(JSON.stringify({ choices: [{ message: { content } }] }));

  it("has the key in one header, and follows no redirect", async () => {
    answering(() => saying("yes"));
    expect(await complete(service(), "s", [{ role: "user", content: "u" }], never)).toBe("yes");
    const { url, init } = asked[0] as (typeof asked)[0];
    expect(url).not.toContain(KEY);
    expect(init.headers).toEqual({ "content-type": "application/json", authorization: `Bearer ${KEY}` });
    expect(init).toMatchObject({ redirect: "manual", credentials: "omit", referrerPolicy: "no-referrer" });
    expect(JSON.parse(String(init.body))).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "s" },
        { role: "user", content: "u" },
      ],
    });
  });

  it("to Anthropic has its form, and its answer is read", async () => {
    answering(
      () =>
        new Response(
          JSON.stringify({ content: [{ type: "text", text: "a" }, null, { type: "text", text: "b" }] }),
        ),
    );
    expect(await complete(service({ kind: "anthropic" }), "s", [], never)).toBe("ab");
    const { init } = asked[0] as (typeof asked)[0];
    expect(init.headers).toMatchObject({ "x-api-key": KEY, "anthropic-version": "2023-06-01" });
    expect(JSON.parse(String(init.body))).toMatchObject({ system: "s", model: "m" });
  });

  it("without a key has no header of one", async () => {
    answering(() => saying("yes"));
    await complete(service({ key: " " }), "s", [], never);
    expect(asked[0]?.init.headers).toEqual({ "content-type": "application/json" });
  });

  it.each([
    [401, "does not accept the key"],
    [404, "has no such model"],
    [429, "asks you to wait"],
    [500, "failed; try again later"],
    [418, "does not answer this"],
  ])("answered with %i is told so, without the key", async (status, part) => {
    answering(
      () =>
        new Response(JSON.stringify({ error: { message: `Bad key\n${KEY}${"!".repeat(999)}` } }), { status }),
    );
    const message = await complete(service(), "s", [], never).then(String, (error: Error) => error.message);
    expect(message).toContain(part);
    expect(message).toContain("Bad key (the key)!");
    expect(message).not.toContain(KEY);
    expect(message.length).toBeLessThan(500);
  });

  it.each<[string, () => Response, string]>([
    [
      "a redirect",
      () => new Response("", { status: 307, headers: { location: "https://evil.test" } }),
      "sends requests on",
    ],
    ["a longer answer than fits", () => new Response("x".repeat(MOST_BYTES + 1)), "longer than 1 MB"],
    ["no API", () => new Response("<html></html>"), "not in the form of OpenAI’s API"],
    ["numbers for text", () => saying(7), "no text is in it"],
  ])("met by %s is refused", async (_, make, part) => {
    answering(make);
    await expect(complete(service(), "s", [], never)).rejects.toThrow(part);
  });

  it.each([
    [{ model: " " }, "Say which model"],
    [{ key: "sk-ü" }, "a character that no key has"],
  ])("lacking something is not sent: %o", async (more, part) => {
    answering(() => saying("yes"));
    await expect(complete(service(more), "s", [], never)).rejects.toThrow(part);
    expect(asked).toEqual([]);
  });

  it("a server does not let this page make is told what lets it", async () => {
    vi.stubGlobal("fetch", async (_: URL, init: RequestInit) => {
      if (init.mode !== "no-cors") throw new TypeError("Failed to fetch");
      return new Response("");
    });
    await expect(complete(service({ address: "http://localhost:1" }), "s", [], never)).rejects.toThrow(
      "OLLAMA_ORIGINS=",
    );
    await expect(complete(service(), "s", [], never)).rejects.toThrow("CORS");
    vi.stubGlobal("fetch", async () => {
      throw new TypeError("Failed to fetch");
    });
    await expect(complete(service({ address: "http://localhost:1" }), "s", [], never)).rejects.toThrow(
      "Nothing answers this page at",
    );
    await expect(complete(service(), "s", [], never)).rejects.toThrow("cannot be reached");
  });

  const empty = {
    layers: [],
    functions: [],
    losses: [],
    optimizers: [],
    schedules: [],
    objectives: [],
    data: [],
    presets: [],
  } as Catalog;
  const analysis = { nodes: {}, inputs: {}, outputs: [], parameters: 0, faults: [] };

  it("is made twice where the first answer has faults, and then no more", async () => {
    const faulty = {
      ...analysis,
      nodes: { fc: { results: [], names: [], parameters: 0, fault: "too wide", is_waiting: false } },
    };
    const ask = ((name: string) =>
      name === "edit" ? { net, analysis: faulty } : { error: "none", line: null }) as Ask;
    answering(() => saying(text));
    let mends = 0;
    const found = await askedFor({ ask, catalog: empty }, service(), "a net", never, () => mends++);
    expect(found).toEqual({ faults: ["fc: too wide"], text });
    expect([mends, asked.length]).toEqual([1, 2]);
    const { messages } = JSON.parse(String(asked[1]?.init.body));
    expect(messages.map(({ role }: { role: string }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
    ]);
    expect(messages[3].content).toContain("- fc: too wide");
  });

  it("whose answer hides the key in a network draws nothing", async () => {
    const ask = ((name: string, { net }: { net: Net }) =>
      name === "edit" ? { net, analysis } : { error: "none", line: null }) as Ask;
    const escaped = [...KEY].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join("");
    answering(() => saying(JSON.stringify({ ...net, note: "K" }).replace("K", escaped)));
    await expect(askedFor({ ask, catalog: empty }, service(), "a net", never, () => {})).rejects.toThrow(
      "holds the key",
    );
  });

  it("tells the model names of the catalog", () => {
    const row = { name: "Linear", family: "linear", doc: "", operands: 1 };
    const argument = { type: "size", choices: [], default: null };
    const args = [
      { ...argument, name: "in_features", required: true },
      { ...argument, name: "bias", required: false },
    ];
    const ask = (() => ({ net, analysis })) as unknown as Ask;
    const prompt = promptOf(ask, { ...empty, layers: [{ ...row, arguments: args }] });
    expect(prompt).toContain("Linear(in_features)");
    expect(prompt).toContain(text);
  });
});

describe("what is kept", () => {
  it("is nothing until that is asked for, and nothing after it is forgotten", () => {
    localStorage.clear();
    settings.key = KEY;
    settings.save();
    expect(localStorage.length).toBe(0);
    settings.keeps = true;
    settings.save();
    expect(localStorage.getItem(STORED)).toContain(KEY);
    settings.forget();
    expect([localStorage.length, settings.key]).toEqual([0, ""]);
  });

  it("goes with the service that it was for", () => {
    settings.key = KEY;
    settings.choose("anthropic");
    expect([settings.key, settings.address]).toEqual(["", "https://api.anthropic.com"]);
  });
});
