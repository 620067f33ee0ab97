/** Sizes of pictures in pixels, as the API writes them. */

export type Size = { width: number; height: number };

/** Parses "1280x720". */
export function parseSize(size: string): Size {
  const [width = 0, height = 0] = size.split("x").map(Number);
  return { width, height };
}
