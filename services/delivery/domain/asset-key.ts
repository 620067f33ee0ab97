/** The keys of stored outputs: an unguessable token and the extension of the content type. */
import { isToken } from "#runtime/id.ts";

const KEY = /^([^.]+)\.(?:mp4|webm|png|jpg|webp)$/;

/** The token in `key`, or undefined if this service did not make the key. */
export function assetTokenOf(key: string): string | undefined {
  const token = KEY.exec(key)?.[1];
  return token !== undefined && isToken(token) ? token : undefined;
}
