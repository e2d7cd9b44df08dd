// Whether a text of Python says anything: a text of comments and empty lines is not worth a run.

/** Whether there is more than empty lines and comments. */
export const hasCode = (source: string) => /^\s*[^\s#]/m.test(source);
