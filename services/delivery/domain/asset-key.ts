/** The keys of stored outputs: an unguessable token and the extension of the content type. */
import { isToken } from "#runtime/id.ts";

const KEY = /^([^.]+)\.(?:mp4|webm|png|jpg|webp)$/;

/** The token in a key of our own making, or undefined. */
export function assetTokenOf(key: string): string | undefined {
  const token = KEY.exec(key)?.[1];
  return token !== undefined && isToken(token) ? token : undefined;
}
