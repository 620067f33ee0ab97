/** The keys of stored files: the unguessable token of an output and the extension of the content type. */
import { isToken } from "#runtime/id.ts";

const KEY = /^([^.]+)(?:\.thumbnail)?\.(?:mp4|webm|png|jpg|webp)$/;

/** The token in `key`, or undefined if this service did not make the key. */
export function assetTokenOf(key: string): string | undefined {
  const token = KEY.exec(key)?.[1];
  return token !== undefined && isToken(token) ? token : undefined;
}

/** The thumbnail of an image, whose own key may end in `.webp` too. */
export const imageThumbnailKey = (token: string): string => `${token}.thumbnail.webp`;

export const videoThumbnailKey = (token: string): string => `${token}.jpg`;

/** Content Credentials, the IPTC digital source type, or nothing. */
export type Provenance = "c2pa" | "iptc" | "none";
