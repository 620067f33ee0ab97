/** Reads the parts and parameters of a header's value, which quotes may hold together, in one pass over it. */

/** What stands between separators that are not quoted (RFC 9110, 5.6). A quote that does not end reaches to the end. */
export function splitUnquoted(value: string, separator: "," | ";"): string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at];
    if (character === "\\" && isQuoted) at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      parts.push(value.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, value.slice(from)];
}

/** The name in lower case and the value of `name="value"`; the value is empty where there is none. */
export function nameAndValue(text: string): [name: string, value: string] {
  const end = text.indexOf("=");
  if (end === -1) return [text.trim().toLowerCase(), ""];
  return [text.slice(0, end).trim().toLowerCase(), unquoted(text.slice(end + 1).trim())];
}

function unquoted(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value;
  return value.slice(1, -1).replaceAll(/\\(.)/g, "$1");
}
