// How much of a download is there, in words.
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

/** `1.2 of 3.4 MB`. */
export function arrived({ done, total }: { done: number; total: number }): string {
  return `${megabytes(done)} of ${megabytes(total)} MB`;
}
