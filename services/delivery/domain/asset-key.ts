/** The keys of stored outputs: an unguessable token and the extension of the content type. */

const KEY = /^([0-9a-hjkmnp-tv-z]{26})\.(?:mp4|webm|png|jpg|webp)$/;

/** The token in a key of our own making, or undefined. */
export function assetTokenOf(key: string): string | undefined {
  return KEY.exec(key)?.[1];
}
