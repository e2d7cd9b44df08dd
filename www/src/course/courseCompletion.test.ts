import { beforeEach, expect, test, vi } from "vitest";
import { emptyProgress, store } from "../store/store";
import { course } from "./course";
import { courseCompletion } from "./courseCompletion";

const loading = vi.hoisted(() => {
  let end = () => {};
  return { done: new Promise<void>((resolve) => (end = resolve)), end: () => end() };
});
vi.mock("virtual:course-work", async () => {
  await loading.done;
  return {
    default: Object.fromEntries(
      course.map(({ slug }) => [slug, { cells: ["first"], exercises: [], predictions: [], questions: {} }]),
    ),
  };
});

beforeEach(() => store.replace({ texts: [], progress: {} }));

test("what is kept while the list of blocks is loaded is in the answer", async () => {
  const slug = course[0]?.slug ?? "";
  const asked = courseCompletion();
  await store.replace({ texts: [], progress: { [slug]: { ...emptyProgress(), cells: ["first"] } } });
  loading.end();
  expect((await asked).progress[slug]?.cells).toEqual(["first"]);
});
