// How much of a download is there, in words.
import { t } from "../language/language.svelte";

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

/** `1.2 of 3.4 MB`. */
export function arrived({ done, total }: { done: number; total: number }): string {
  return t("{done} of {total} MB", { done: megabytes(done), total: megabytes(total) });
}
