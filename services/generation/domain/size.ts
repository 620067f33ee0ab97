/** Sizes of pictures as the API writes them. */

/** "1280x720" as numbers. */
export function parseSize(size: string): { width: number; height: number } {
  const [width = 0, height = 0] = size.split("x").map(Number);
  return { width, height };
}
