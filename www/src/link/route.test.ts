import { describe, expect, it } from "vitest";
import { familyLink, lessonLink, opLink, parseRoute, tryLink } from "./route";

describe("parseRoute", () => {
  it.each([
    ["", { name: "landing" }],
    ["#", { name: "landing" }],
    ["#/", { name: "landing" }],
    ["#/course", { name: "course" }],
    ["#/course/", { name: "course" }],
    ["#/bench", { name: "bench" }],
    ["#/play", { name: "play", op: null }],
    ["#/play?t=12", { name: "play", op: null }],
    ["#/play?op=softmax", { name: "play", op: "softmax" }],
    ["#/play?op=", { name: "play", op: null }],
    ["#/reference", { name: "reference", op: null, family: null }],
    ["#/reference/", { name: "reference", op: null, family: null }],
    ["#/reference/softmax", { name: "reference", op: "softmax", family: null }],
    ["#/reference/family/unary", { name: "reference", op: null, family: "unary" }],
    ["#/studio", { name: "studio", version: "", text: "" }],
    ["#/studio/1/abc", { name: "studio", version: "1", text: "abc" }],
    ["#/teachers", { name: "teachers", slug: null }],
    ["#/teachers/a-graph", { name: "teachers", slug: "a-graph" }],
    ["#/lesson/a-graph", { name: "lesson", slug: "a-graph", section: null }],
    ["#/lesson/a-graph/quick-check", { name: "lesson", slug: "a-graph", section: "quick-check" }],
    ["#/lesson/a%20b", { name: "lesson", slug: "a b", section: null }],
  ])("reads %s", (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  });

  it.each([
    "#/lesson",
    "#/lesson/",
    "#/lesson/a/b/c",
    "#/nowhere",
    "#course",
    "#/play/more",
    "#/bench/more",
    "#/teachers/a/b",
    "#/studio/1",
    "#/reference/a/b",
  ])("does not know %s", (hash) => {
    expect(parseRoute(hash).name).toBe("missing");
  });

  it("survives a broken percent code", () => {
    expect(parseRoute("#/lesson/%E0%A4%A")).toEqual({ name: "lesson", slug: "%E0%A4%A", section: null });
  });

  it("reads back every link it makes", () => {
    for (const slug of ["plain", "with space", "50%", "a/b", "ünïcode"]) {
      expect(parseRoute(lessonLink(slug))).toEqual({ name: "lesson", slug, section: null });
      expect(parseRoute(lessonLink(slug, "a section"))).toEqual({
        name: "lesson",
        slug,
        section: "a section",
      });
      expect(parseRoute(opLink(slug))).toEqual({ name: "reference", op: slug, family: null });
      expect(parseRoute(familyLink(slug))).toEqual({ name: "reference", op: null, family: slug });
      expect(parseRoute(tryLink(slug))).toEqual({ name: "play", op: slug });
    }
  });
});
