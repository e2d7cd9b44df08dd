// The faces of the elements: fetched when a letter is set in them.
//
// Invariant: under the names that the page of glowgrad uses, so that no other face of a page is replaced.
import inter from "@fonts/inter.woff2?url&no-inline";
import mono from "@fonts/jetbrains-mono.woff2?url&no-inline";

let added = false;

export function addFaces(): void {
  if (added || typeof FontFace === "undefined") return;
  added = true;
  for (const [family, address] of [
    ["Inter Variable", inter],
    ["JetBrains Mono Variable", mono],
  ] as const) {
    const source = `url(${JSON.stringify(new URL(address, location.href).href)}) format("woff2")`;
    document.fonts.add(new FontFace(family, source, { weight: "400 660", display: "swap" }));
  }
}
