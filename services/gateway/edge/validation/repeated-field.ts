/** Finds a field that a JSON object has twice: JSON.parse keeps the last one only, and other readers the first. */

/** What begins a text, or begins, ends or divides objects and lists. */
const TOKEN = /["{}[\],]/g;
/** A text with escapes; one that does not end reaches to the end. */
const TEXT = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)/y;
const COLON = /\s*:/y;

/** An object with the names that it had so far, or a list without; and the name or index that is being read. */
type Level = { names: Set<string> | undefined; at: string };

/** The path of the first repeated field; undefined if there is none. `json` has been parsed without a fault. */
export function repeatedField(json: string): string[] | undefined {
  const levels: Level[] = [];
  const endOf = textEnds(json);
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(json); found; found = TOKEN.exec(json)) {
    const [token] = found;
    const level = levels.at(-1);
    if (token === "{") levels.push({ names: new Set(), at: "" });
    else if (token === "[") levels.push({ names: undefined, at: "0" });
    else if (token === "}" || token === "]") levels.pop();
    else if (token === ",") {
      if (level?.names === undefined) advance(level);
    } else {
      const end = endOf(found.index);
      TOKEN.lastIndex = end;
      COLON.lastIndex = end;
      if (!level?.names || !COLON.test(json)) continue;
      level.at = JSON.parse(json.slice(found.index, end)) as string;
      if (level.names.has(level.at)) return levels.map(({ at }) => at);
      level.names.add(level.at);
    }
  }
  return undefined;
}

/** Where the text ends that begins at a place; places only grow. A text without escapes is not looked at byte by byte. */
function textEnds(json: string): (from: number) => number {
  let escape = json.indexOf("\\");
  return (from) => {
    if (escape !== -1 && escape < from) escape = json.indexOf("\\", from);
    const quote = json.indexOf('"', from + 1);
    if (quote !== -1 && (escape === -1 || escape > quote)) return quote + 1;
    TEXT.lastIndex = from;
    TEXT.test(json);
    return TEXT.lastIndex;
  };
}

function advance(list: Level | undefined): void {
  if (list) list.at = String(Number(list.at) + 1);
}
