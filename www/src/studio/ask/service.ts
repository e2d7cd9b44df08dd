// A language model behind an address: which address is asked, what is sent to it, and what its answer says.
//
// Invariant: the key goes into one header of one request, to the address that is shown; a redirect is not followed. No
// message holds the key, also where the server repeats it. An answer has at most 1 MB and three minutes.

import { t } from "../../language/language.svelte";

export type Kind = "ollama" | "openai" | "anthropic";

export interface Service {
  kind: Kind;
  address: string;
  model: string;
  key: string;
}

export interface Message {
  role: "user" | "assistant";
  content: string;
}

interface Form {
  label: string;
  /** The address that the field begins with. */
  address: string;
  /** Where below an address such requests go. */
  path: string;
}

const CHAT = "/v1/chat/completions";

export const KINDS: Record<Kind, Form> = {
  ollama: {
    get label() {
      return t("A local Ollama");
    },
    address: "http://localhost:11434",
    path: CHAT,
  },
  openai: {
    get label() {
      return t("OpenAI, or compatible");
    },
    address: "https://api.openai.com",
    path: CHAT,
  },
  anthropic: {
    get label() {
      return t("Anthropic, or compatible");
    },
    address: "https://api.anthropic.com",
    path: "/v1/messages",
  },
};

/** What cannot be asked, or was not answered: a sentence. */
export class Refusal extends Error {}

export const MOST_BYTES = 1 << 20;
const MOST_MS = 180_000;
/** How long a server may take to show that it is there. */
const MOST_MS_ALIVE = 5_000;
/** Tokens of an answer, which Anthropic's form has to say. */
const MOST_TOKENS = 8192;
/** Shorter ones are no secret, and are words that answers may hold. */
const SHORTEST_KEY = 8;

/** The address that a request goes to; a path that is missing is added. */
export function endpointOf({ kind, address }: Pick<Service, "kind" | "address">): URL {
  const text = address.trim();
  const { path, address: example } = KINDS[kind];
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Refusal(`“${text.slice(0, 80)}” is no address; expected one such as ${example}.`);
  }
  if (url.username || url.password) {
    throw new Refusal(
      "The address holds a user name or a password; take it out, and put the key into its own field.",
    );
  }
  if (url.hostname === "[::1]")
    throw new Refusal("Write 127.0.0.1 in place of [::1]: the page may ask that one.");
  if (url.protocol === "http:" && !isHere(url)) {
    throw new Refusal(
      `${url.origin} is not encrypted: others could read what is sent on its way. Use an address that begins with https, or a server on this computer.`,
    );
  }
  url.hash = "";
  const given = url.pathname.replace(/\/+$/, "");
  if (given.endsWith(path.replace("/v1", ""))) url.pathname = given;
  else url.pathname = given + (/\/v\d+$/.test(given) ? path.replace("/v1", "") : path);
  return url;
}

/** Whether an address is this computer. */
function isHere({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1";
}

/** A text without the key. */
export function withoutKey(text: string, key: string): string {
  return key.length < SHORTEST_KEY ? text : text.replaceAll(key, "(the key)");
}

/** The text that the model answers with. */
export async function complete(
  service: Service,
  system: string,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<string> {
  const url = endpointOf(service);
  const { kind, model } = service;
  const key = service.key.trim();
  if (!model.trim()) throw new Refusal("Say which model is asked: the service's own name for it.");
  if (!/^[\x21-\x7e]*$/.test(key)) {
    throw new Refusal(
      "The key holds a character that no key has, such as a space or a quote of a text. Copy it again.",
    );
  }
  const tooLong = AbortSignal.timeout(MOST_MS);
  const either = AbortSignal.any([signal, tooLong]);
  try {
    const response = await asked(url, request(kind, model.trim(), key, system, messages), either);
    const body = await read(response, url, either);
    if (!response.ok) throw new Refusal(withoutKey(refusedBy(url, response.status, body), key));
    return withoutKey(textOf(kind, body, url), key);
  } catch (error) {
    if (error instanceof Refusal || signal.aborted) throw error;
    if (tooLong.aborted) {
      throw new Refusal(
        `${url.host} did not answer in ${MOST_MS / 60_000} minutes. Try again, or a smaller model.`,
      );
    }
    throw new Refusal(`The answer of ${url.host} broke off. Try again.`);
  }
}

function request(
  kind: Kind,
  model: string,
  key: string,
  system: string,
  messages: readonly Message[],
): RequestInit {
  const headers: Record<string, string> = { "content-type": "application/json" };
  const isAnthropic = kind === "anthropic";
  if (isAnthropic) {
    headers["anthropic-version"] = "2023-06-01";
    // Without it the service answers no page.
    headers["anthropic-dangerous-direct-browser-access"] = "true";
    if (key) headers["x-api-key"] = key;
  } else if (key) headers.authorization = `Bearer ${key}`;
  const body = isAnthropic
    ? { model, max_tokens: MOST_TOKENS, system, messages }
    : { model, messages: [{ role: "system", content: system }, ...messages] };
  return {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    // A redirect is told, and the key is not sent after it.
    redirect: "manual",
    credentials: "omit",
    referrerPolicy: "no-referrer",
    cache: "no-store",
  };
}

async function asked(url: URL, init: RequestInit, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Refusal(await unreachable(url, signal));
  }
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    throw new Refusal(
      `${url.host} sends requests on to another address. The key is sent to no address but the one that you wrote: write the other one if you trust it.`,
    );
  }
  return response;
}

/** Why nothing came: a browser does not say, so the server is asked once more for nothing, without the key. */
async function unreachable(url: URL, signal: AbortSignal): Promise<string> {
  const origin = location.origin;
  const isThere = await fetch(url.origin, {
    mode: "no-cors",
    credentials: "omit",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.any([signal, AbortSignal.timeout(MOST_MS_ALIVE)]),
  })
    .then(() => true)
    .catch(() => false);
  const allow = `OLLAMA_ORIGINS=${origin} ollama serve`;
  if (isThere) {
    return isHere(url)
      ? `${url.origin} is there, and does not let this page read its answers. For Ollama, start it with ${allow}.`
      : `${url.host} is there, and does not let pages read its answers (CORS): ask a service that does, or a server on this computer.`;
  }
  if (!isHere(url)) return `${url.host} cannot be reached. Check the address and the connection.`;
  const safari =
    location.protocol === "https:"
      ? " Safari lets no page on https reach it; other browsers ask you first."
      : "";
  return `Nothing answers this page at ${url.origin}. Start the server there, and let this page ask it; for Ollama: ${allow}.${safari}`;
}

async function read(response: Response, url: URL, signal: AbortSignal): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  let text = "";
  let n_bytes = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text + decoder.decode();
    n_bytes += value.length;
    if (n_bytes > MOST_BYTES) {
      void reader.cancel().catch(() => {});
      throw new Refusal(`The answer of ${url.host} is longer than 1 MB, and was given up.`);
    }
    text += decoder.decode(value, { stream: true });
    signal.throwIfAborted();
  }
}

/** What a status means; the server's own words follow. */
function refusedBy(url: URL, status: number, body: string): string {
  const meaning =
    {
      400: "does not take the request",
      401: "does not accept the key",
      403: "does not accept the key for this model, or not this page",
      404: "has no such model, or nothing at this address",
      408: "took too long",
      413: "finds the request too long",
      429: "asks you to wait: too many requests, or no credit is left",
    }[status] ?? (status >= 500 ? "failed; try again later" : "does not answer this");
  const said = messageOf(body);
  return `${url.host} ${meaning} (${status}).${said && ` It says: “${said}”`}`;
}

function messageOf(body: string): string {
  const parsed = parsedOrNull(body) as { error?: { message?: unknown } | string; message?: unknown } | null;
  const said =
    typeof parsed?.error === "string" ? parsed.error : (parsed?.error?.message ?? parsed?.message ?? "");
  if (typeof said !== "string") return "";
  const line = said.replace(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

interface Part {
  type?: unknown;
  text?: unknown;
}

/** The text of an answer, in either form. */
function textOf(kind: Kind, body: string, url: URL): string {
  const answer = parsedOrNull(body) as {
    choices?: { message?: { content?: string | Part[] } }[];
    content?: string | Part[];
  } | null;
  const content = kind === "anthropic" ? answer?.content : answer?.choices?.[0]?.message?.content;
  const text = Array.isArray(content)
    ? content.map((part) => (typeof part?.text === "string" ? part.text : "")).join("")
    : content;
  if (typeof text === "string" && text.trim()) return text;
  throw new Refusal(
    `${url.host} answered, and not in the form of ${kind === "anthropic" ? "Anthropic" : "OpenAI"}’s API: no text is in it. Check the address and the kind of service.`,
  );
}
