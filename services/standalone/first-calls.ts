/** The commands that `npm start` prints: they make a video in test mode and fetch its file, pasted together or one by one. */

/** `url` is the service's; the key is in the file. */
export function firstCalls(url: string, keyFile: string): string {
  return `VIDEO=$(curl -sS ${url}/v1/videos/generations -H "Authorization: Bearer $(cat ${keyFile})" -H 'Prefer: wait=60' -H 'Content-Type: application/json' -d '{"model":"beta-3.0-video","prompt":"a cat in the rain"}')
printf '%s\\n' "$VIDEO"
curl -sS -o cat.mp4 "$(printf '%s' "$VIDEO" | grep -o 'http[^"]*\\.mp4' | head -n 1)"`;
}
