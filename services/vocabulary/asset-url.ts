/** The URLs of stored files: a base, a slash and the storage key. */

const KEY = /\/([0-7][0-9a-hjkmnp-tv-z]{25}\.(?:mp4|webm|png|jpg|webp))$/;

/** Whether the URL has the form of a stored file's, whoever stores it. */
export function isLikeAssetUrl(url: string): boolean {
  return KEY.test(url);
}

/** Whether the URL is below those of stored files, whether or not there can be such a file. */
export function isBelowAssets(url: string, baseUrl: string): boolean {
  return url.startsWith(`${baseUrl}/`);
}

/** The storage key in a URL that begins with `baseUrl`; undefined for every other URL. */
export function assetKeyOf(url: string, baseUrl: string): string | undefined {
  const [prefix, key] = [`${baseUrl}/`, KEY.exec(url)?.[1]];
  return key !== undefined && url === `${prefix}${key}` ? key : undefined;
}
