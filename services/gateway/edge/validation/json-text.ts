/** Where a text stops being JSON, and which field an object has twice: JSON.parse tells neither. */

/** What may come next. */
type Place = "value" | "firstValue" | "name" | "firstName" | "colon" | "comma" | "end";

type Closer = "}" | "]";

const EXPECTED: Readonly<Record<Exclude<Place, "comma">, string>> = {
  value: "a value",
  firstValue: "a value or ]",
  name: "a field name in double quotes",
  firstName: "a field name in double quotes or }",
  colon: "a colon",
  end: "its end",
};

/** Spaces, then what may be a mark, a text with its closing quote, a number or a word. Never looks at a character twice. */
const TOKEN =
  /[ \t\n\r]*(?:([{}[\],:])|("[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*)("?)|(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null))?/y;

/** Enough for the usual words that are not JSON: NaN, None, True, undefined. */
const WORD = /[A-Za-z]{1,9}|[^]|$/uy;

/** Shown by their number. */
const INVISIBLE = /^[\p{C}\p{Z}]$/u;

/** A sentence with the line and column of the first fault; undefined where there is none. */
export function jsonFault(text: string): string | undefined {
  const open: Closer[] = [];
  let place: Place | undefined = "value";
  let at = 0;
  while (at < text.length) {
    const [all, mark, string, quote] = matchAt(TOKEN, text, at);
    at += all.length;
    if (string !== undefined && quote === "") return stringFault(text, at);
    const token: string = mark ?? (string === undefined ? all.trim() : '"');
    if (token === "") break;
    const following = placeAfter(token, place, open);
    if (following === undefined) {
      return faultAt(text, at - (string ?? token).length - (quote?.length ?? 0), place, open);
    }
    place = following;
  }
  return at === text.length && place === "end" ? undefined : faultAt(text, at, place, open);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (!match) throw new Error("the pattern matches everywhere");
  return match;
}

/** Undefined where the token may not be. A text is `"`. Changes `open`, the ends of the objects and lists around the place. */
function placeAfter(token: string, place: Place, open: Closer[]): Place | undefined {
  const isName = place === "name" || place === "firstName";
  const isValue = place === "value" || place === "firstValue";
  if (token === ":") return place === "colon" ? "value" : undefined;
  if (token === "," && place === "comma") return open.at(-1) === "}" ? "name" : "value";
  if (token === "}" || token === "]") return placeAfterEnd(token, place, open);
  if (token === '"' && isName) return "colon";
  if (token === "," || !isValue) return undefined;
  if (token === "{") return (open.push("}"), "firstName");
  if (token === "[") return (open.push("]"), "firstValue");
  return placeAfterValue(open);
}

function placeAfterEnd(token: Closer, place: Place, open: Closer[]): Place | undefined {
  const first = token === "}" ? "firstName" : "firstValue";
  if (open.at(-1) !== token || (place !== first && place !== "comma")) return undefined;
  open.pop();
  return placeAfterValue(open);
}

function placeAfterValue(open: readonly Closer[]): Place {
  return open.length === 0 ? "end" : "comma";
}

/** `at` is where a text stops being one. */
function stringFault(text: string, at: number): string {
  return sentence(text, at, at === text.length ? "a closing quote" : "an escape such as \\n");
}

function faultAt(text: string, at: number, place: Place, open: readonly Closer[]): string {
  return sentence(text, at, place === "comma" ? `a comma or ${open.at(-1)}` : EXPECTED[place]);
}

function sentence(text: string, at: number, expected: string): string {
  const [found] = matchAt(WORD, text, at);
  const where = position(text, at);
  return found === ""
    ? `It ends at ${where}, where ${expected} is missing.`
    : `At ${where} it has ${shown(found)} in place of ${expected}.`;
}

function shown(found: string): string {
  if (found === '"') return "a double quote";
  if (!INVISIBLE.test(found)) return `"${found}"`;
  return `U+${found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Both count from 1, columns in code points. */
function position(text: string, at: number): string {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < at; end = text.indexOf("\n", start)) {
    line += 1;
    start = end + 1;
  }
  const pairs = text.slice(start, at).match(/[\ud800-\udbff]/g)?.length ?? 0;
  return `line ${line}, column ${at - start - pairs + 1}`;
}

/** What begins a text, or begins, ends or divides objects and lists. */
const STRUCTURE = /["{}[\],]/g;
/** A text with escapes; one that does not end reaches to the end. */
const TEXT = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)/y;
const COLON = /\s*:/y;

/** An object with the names that it had so far, or a list without; and the name or index that is being read. */
type Level = { names: Set<string> | undefined; at: string };

/** The path of the first repeated field; undefined if there is none. `json` has been parsed without a fault. */
export function repeatedField(json: string): string[] | undefined {
  const levels: Level[] = [];
  const endOf = textEnds(json);
  STRUCTURE.lastIndex = 0;
  for (let found = STRUCTURE.exec(json); found; found = STRUCTURE.exec(json)) {
    const [token] = found;
    const level = levels.at(-1);
    if (token === "{") levels.push({ names: new Set(), at: "" });
    else if (token === "[") levels.push({ names: undefined, at: "0" });
    else if (token === "}" || token === "]") levels.pop();
    else if (token === ",") {
      if (level?.names === undefined) advance(level);
    } else {
      const end = endOf(found.index);
      STRUCTURE.lastIndex = end;
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
