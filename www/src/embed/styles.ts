// The style sheets of the package, for shadow trees: www/build/shadowStyles.ts makes a call of `addStyle` of each.
//
// Invariant: a sheet is made once and shared by all trees, those that are there and those to come; none reaches the
// page. A constructed sheet needs no `style-src` of the page's Content-Security-Policy.

const sheets: CSSStyleSheet[] = [];
const roots = new Set<ShadowRoot>();

export function addStyle(text: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  sheets.push(sheet);
  for (const root of roots) root.adoptedStyleSheets.push(sheet);
}

/** Gives a tree all sheets, until the answer is called. */
export function styled(root: ShadowRoot): () => void {
  roots.add(root);
  const foreign = root.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
  root.adoptedStyleSheets = [...sheets, ...foreign];
  return () => {
    roots.delete(root);
  };
}
