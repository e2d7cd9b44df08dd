// Elements of the page, and numbers as texts and pictures.
//
// Invariant: what comes from the file becomes text, never markup.

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export function button(textContent: string, onClick: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", textContent });
  made.addEventListener("click", onClick);
  return made;
}

export const quiet = (textContent: string) => element("p", { className: "quiet", textContent });

export const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A number with four digits. */
export const number = (value: number) =>
  Number.isFinite(value) ? Number(value.toPrecision(4)).toString() : `${value}`;

export interface Size {
  channels: number;
  height: number;
  width: number;
}

/** Paints numbers as a picture, the least black and the most white. */
export function paint(
  canvas: HTMLCanvasElement,
  values: ArrayLike<number>,
  { channels, height, width }: Size,
  [least, most]: [number, number],
): void {
  Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  const image = context?.createImageData(width, height);
  if (!context || !image) return;
  const each = width * height;
  for (let i = 0; i < each; i++) {
    for (let channel = 0; channel < 3; channel++) {
      const value = values[(channels === 3 ? channel * each : 0) + i] as number;
      image.data[i * 4 + channel] = ((value - least) / (most - least || 1)) * 255;
    }
    image.data[i * 4 + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}
