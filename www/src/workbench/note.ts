// A note's text as parts to draw: headings, lists, code and paragraphs of Markdown.
//
// Invariant: pure, and never HTML: whatever stands in a note that came in a file is shown as text. Emphasis, links and
// tables stay as they are written.

export type Part =
  | { kind: "heading"; level: number; text: string }
  | { kind: "list"; items: string[]; numbered: boolean }
  | { kind: "code"; text: string }
  | { kind: "text"; text: string };

const ITEM = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/;

export function parts(note: string): Part[] {
  const found: Part[] = [];
  let code: string[] | null = null;
  let open = false;
  for (const line of note.split(/\r?\n/)) {
    const last = found.at(-1);
    if (/^\s*(```|~~~)/.test(line)) {
      if (code) found.push({ kind: "code", text: code.join("\n") });
      code = code ? null : [];
      open = false;
      continue;
    }
    if (code) {
      code.push(line);
      continue;
    }
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    const item = ITEM.exec(line);
    if (heading) found.push({ kind: "heading", level: heading[1]?.length ?? 1, text: heading[2] ?? "" });
    else if (item) {
      if (last?.kind === "list") last.items.push(item[2] ?? "");
      else found.push({ kind: "list", items: [item[2] ?? ""], numbered: item[1] !== undefined });
    } else if (line.trim() && open && last?.kind === "text") last.text += `\n${line}`;
    else if (line.trim()) found.push({ kind: "text", text: line });
    open = line.trim() !== "" && !heading && !item;
  }
  if (code) found.push({ kind: "code", text: code.join("\n") });
  return found;
}
