/** Finds a field that a JSON object has twice: JSON.parse keeps the last one only, and other readers the first. */

/** A name with its colon, or what begins, ends or divides objects and lists. Other texts and numbers are not matched. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$))(\s*:)?|[{}[\],]/g;

/** An object with the names that it had so far, or a list without; and the name or index that is being read. */
type Level = { names: Set<string> | undefined; at: string };

/** The path of the first repeated field; undefined if there is none. `json` has been parsed without a fault. */
export function repeatedField(json: string): string[] | undefined {
  const levels: Level[] = [];
  for (const [token, text, colon] of json.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === "{") levels.push({ names: new Set(), at: "" });
    else if (token === "[") levels.push({ names: undefined, at: "0" });
    else if (token === "}" || token === "]") levels.pop();
    else if (token === "," && level?.names === undefined) advance(level);
    else if (text !== undefined && colon !== undefined && level?.names) {
      level.at = JSON.parse(text) as string;
      if (level.names.has(level.at)) return levels.map(({ at }) => at);
      level.names.add(level.at);
    }
  }
  return undefined;
}

function advance(list: Level | undefined): void {
  if (list) list.at = String(Number(list.at) + 1);
}
