// @vitest-environment happy-dom
import { strFromU8, unzipSync } from "fflate";
import { expect, it } from "vitest";
import type { LessonSummary } from "../protocol";
import { emptyProgress, type Progress } from "../store/merge";
import { manifest } from "./manifest";
import { listed, marked, packLesson } from "./pack";
import { type Api, findApi, Platform } from "./platform";
import { Report, resumed, scoreOf, suspended, timespan } from "./report";

const lesson = { slug: "first", title: "Sums & <products>", minutes: 20 } as LessonSummary;
const work = { cells: ["a", "b"], exercises: ["e"], predictions: [], questions: { q: [1] } };

/** A platform that keeps what it is told. */
class Kept implements Api {
  readonly values = new Map<string, string>();
  readonly calls: string[] = [];
  constructor(given: Record<string, string> = {}) {
    for (const [name, value] of Object.entries(given)) this.values.set(name, value);
  }
  LMSInitialize(): string {
    this.calls.push("LMSInitialize");
    return "true";
  }
  LMSFinish(): string {
    this.calls.push("LMSFinish");
    return "true";
  }
  LMSGetValue(name: string): string {
    return this.values.get(name) ?? "";
  }
  LMSSetValue(name: string, value: string): string {
    this.values.set(name, value);
    return "true";
  }
  LMSCommit(): string {
    this.calls.push("LMSCommit");
    return "true";
  }
  LMSGetLastError(): string {
    return "0";
  }
}

const done = (progress: Partial<Progress>): Progress => ({ ...emptyProgress(), ...progress });
const whole = done({ cells: ["a", "b"], exercises: ["e"], quizzes: { q: 1 } });

it("tells status, score and progress while they grow, and commits changes alone", () => {
  const api = new Kept({ "cmi.core.lesson_status": "not attempted" });
  let clock = 0;
  const report = new Report(new Platform(api), lesson, work, () => clock);
  expect(report.begin()).toBeNull();
  report.update(emptyProgress());
  expect(api.values.get("cmi.core.lesson_status")).toBe("incomplete");
  expect(api.values.get("cmi.core.score.raw")).toBe("0");
  const commits = api.calls.length;
  report.update(emptyProgress());
  expect(api.calls).toHaveLength(commits);
  report.update(done({ cells: ["a"], quizzes: { q: 0 } }));
  expect(api.values.get("cmi.core.score.raw")).toBe("0");
  report.update(done({ quizzes: { q: 1 }, last: { block: "q", when: 3 } }));
  expect(api.values.get("cmi.core.score.raw")).toBe("20");
  expect(api.values.get("cmi.core.lesson_location")).toBe("q");
  report.update(whole);
  expect(api.values.get("cmi.core.score.raw")).toBe("100");
  expect(api.values.get("cmi.core.lesson_status")).toBe("completed");
  clock = 3_723_400;
  report.end();
  expect(api.values.get("cmi.core.session_time")).toBe("0001:02:03");
  expect(api.values.get("cmi.core.exit")).toBe("");
  expect(api.calls.slice(-2)).toEqual(["LMSCommit", "LMSFinish"]);
  report.end();
  expect(api.calls.filter((call) => call === "LMSFinish")).toHaveLength(1);
});

it("goes on where the platform left off, and takes no status back", () => {
  const before = done({ cells: ["a"], exercises: ["e"], quizzes: { q: 1 }, tried: ["e"], seen: [] });
  const api = new Kept({
    "cmi.core.lesson_status": "passed",
    "cmi.suspend_data": suspended(before),
  });
  const report = new Report(new Platform(api), lesson, work);
  expect(report.begin()).toEqual(before);
  report.update(before);
  expect(api.values.get("cmi.core.lesson_status")).toBe("passed");
  report.end();
  expect(api.values.get("cmi.core.exit")).toBe("suspend");
});

it("tells a platform that reviews the time alone", () => {
  const api = new Kept({ "cmi.core.lesson_mode": "review" });
  const report = new Report(new Platform(api), lesson, work);
  report.begin();
  report.update(whole);
  report.end();
  expect(api.values.has("cmi.core.score.raw")).toBe(false);
  expect(api.values.get("cmi.core.session_time")).toMatch(/^\d{4}:\d\d:\d\d$/);
});

it("notes what a platform throws or refuses, and goes on", () => {
  const api = new Kept();
  api.LMSSetValue = () => {
    throw new Error("no network");
  };
  const platform = new Platform(api);
  const report = new Report(platform, lesson, work);
  report.begin();
  report.update(whole);
  expect(platform.failing).toContain("no network");
  const closed = new Kept();
  closed.LMSInitialize = () => "false";
  const other = new Platform(closed);
  expect(other.begin()).toBe(false);
  expect(other.failing).toBe("LMSInitialize: error 0");
  other.write("cmi.core.exit", "");
  expect(closed.values.size).toBe(0);
});

it("reads no progress from texts of others", () => {
  const bad = [
    "",
    "x",
    "{}",
    "[1]",
    "[2,[],[],{},[],[]]",
    "[1,[1],[],{},[],[]]",
    '[1,[],[],{"q":"1"},[],[]]',
    "null",
  ];
  for (const text of bad) expect(resumed(text), text).toBeNull();
});

it("keeps what fits 4,096 characters: rather the exercises than the cells", () => {
  const many = Array.from({ length: 900 }, (_, index) => `cell-${index}`);
  const text = suspended(done({ cells: many, exercises: ["e"] }));
  expect(text.length).toBeLessThanOrEqual(4096);
  expect(resumed(text)).toMatchObject({ cells: [], exercises: ["e"] });
  expect(suspended(done({ exercises: many }))).toBe("");
});

it("scores a lesson without exercises and questions by its cells", () => {
  const none = { done: 0, all: 0 };
  const completion = { seen: 0, share: 0, left: 0, begun: true, finished: false };
  expect(scoreOf({ ...completion, cells: { done: 1, all: 3 }, exercises: none, questions: none })).toBe(33);
  expect(scoreOf({ ...completion, cells: none, exercises: none, questions: none })).toBe(0);
  expect(timespan(-5)).toBe("0000:00:00");
});

it("finds the platform up the frames, then around the opener, and passes frames of other origins", () => {
  const api = new Kept();
  type Frame = Record<string, unknown>;
  const top: Frame = { API: api };
  top.parent = top;
  const middle = { parent: top };
  const own = { parent: middle, top };
  expect(findApi(own as unknown as Window)).toBe(api);
  const alone: Frame = { opener: { parent: top } };
  alone.parent = alone;
  alone.top = alone;
  expect(findApi(alone as unknown as Window)).toBe(api);
  const strange = {
    get API(): never {
      throw new DOMException("blocked", "SecurityError");
    },
    parent: top,
  };
  expect(findApi({ parent: strange, top } as unknown as Window)).toBe(api);
  const none: Frame = {};
  none.parent = none;
  none.top = none;
  expect(findApi(none as unknown as Window)).toBeNull();
});

const FILES = { "index.html": "<html><head></head></html>", "assets/a-1.js": "1", "assets/f.woff2": "2" };
const worker = `const FILES = ${JSON.stringify(Object.keys(FILES).map((path) => [path, "sha256-", 0]))};\nx`;

it("packs every file, a manifest of them and a page that names the lesson", async () => {
  const all: Record<string, string> = { ...FILES, "offline.js": worker };
  const fetch = async (path: string) => new TextEncoder().encode(all[path]);
  const counts: number[] = [];
  const zip = await packLesson(lesson, (count) => counts.push(count), { fetch });
  const files = unzipSync(zip);
  expect(Object.keys(files).sort()).toEqual(
    ["assets/a-1.js", "assets/f.woff2", "imsmanifest.xml", "index.html", "lesson.html"].sort(),
  );
  expect(counts.at(-1)).toBe(3);
  const text = (path: string) => strFromU8(files[path] ?? new Uint8Array());
  expect(text("index.html")).toContain('<meta name="glow-scorm" content="first" />');
  expect(text("lesson.html")).toContain("index.html#/lesson/first");
  expect(text("imsmanifest.xml")).toContain("Sums &amp; &lt;products&gt;");
  await expect(
    packLesson(lesson, undefined, { fetch: async () => Promise.reject(new Error("gone")) }),
  ).rejects.toThrow("gone");
});

it("takes no path that leads out of the site, and no page without a head", () => {
  expect(() => listed('const FILES = [["../x","",0]];')).toThrow("damaged");
  expect(() => listed('const FILES = [[3,"",0]];')).toThrow("damaged");
  expect(() => listed("nothing")).toThrow("cargo lab build");
  expect(() => marked(new TextEncoder().encode("<p>"), "x")).toThrow("no head");
  const served = new TextEncoder().encode('<head><meta name="glow-lab" content="1"></head>');
  expect(strFromU8(marked(served, 'a"b'))).toBe('<head><meta name="glow-scorm" content="ab" /></head>');
});

/** SCORM 1.2's rules for a package of one item (Content Aggregation Model 1.2, section 2.3). */
it("writes a manifest that keeps SCORM 1.2's rules", () => {
  const files = ["lesson.html", "index.html", "assets/a b.js"];
  const text = manifest({ slug: "1 odd/slug", title: 'A "title" \u0001& more', entry: "lesson.html", files });
  const xml = new DOMParser().parseFromString(text, "text/xml");
  const root = xml.documentElement;
  expect(root.tagName).toBe("manifest");
  expect(root.getAttribute("xmlns")).toBe("http://www.imsproject.org/xsd/imscp_rootv1p1p2");
  expect(root.getAttribute("xmlns:adlcp")).toBe("http://www.adlnet.org/xsd/adlcp_rootv1p2");
  expect([...root.children].map(({ tagName }) => tagName)).toEqual([
    "metadata",
    "organizations",
    "resources",
  ]);
  const all = (name: string) => [...root.getElementsByTagName(name)];
  expect(all("schema")[0]?.textContent).toBe("ADL SCORM");
  expect(all("schemaversion")[0]?.textContent).toBe("1.2");
  const ids = [root, ...all("organization"), ...all("item"), ...all("resource")].map((each) =>
    each.getAttribute("identifier"),
  );
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z_][\w.-]*$/);
  expect(all("organizations")[0]?.getAttribute("default")).toBe(
    all("organization")[0]?.getAttribute("identifier"),
  );
  expect([...(all("organization")[0]?.children ?? [])].map(({ tagName }) => tagName)).toEqual([
    "title",
    "item",
  ]);
  const [resource] = all("resource");
  expect(all("item")[0]?.getAttribute("identifierref")).toBe(resource?.getAttribute("identifier"));
  expect(resource?.getAttribute("type")).toBe("webcontent");
  expect(resource?.getAttribute("adlcp:scormtype")).toBe("sco");
  const hrefs = all("file").map((each) => each.getAttribute("href"));
  expect(hrefs).toEqual(["lesson.html", "index.html", "assets/a%20b.js"]);
  expect(hrefs).toContain(resource?.getAttribute("href"));
});
