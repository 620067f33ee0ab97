/** What addresses of pages say: days of lists, and the page that an id belongs to. */

/** Days in the user's time zone, "YYYY-MM-DD", both inclusive. */
export type Days = { from: string | undefined; to: string | undefined };

/** The days of a page's URL, without what is no day. */
export function daysIn(query: URLSearchParams): Days {
  return { from: dayOf(query.get("from")), to: dayOf(query.get("to")) };
}

/** Times in the API are exclusive. */
export function spanOf({ from, to }: Days): { created_after?: string; created_before?: string } {
  return {
    ...(from && { created_after: timeOf(from, 0, -1) }),
    ...(to && { created_before: timeOf(to, 1, 0) }),
  };
}

/** RFC 3339, from the start of the local day. */
function timeOf(day: string, addedDays: number, addedMs: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + addedDays, 0, 0, 0, addedMs).toISOString();
}

function dayOf(text: string | null): string | undefined {
  return text && /^2\d{3}-[01]\d-[0-3]\d$/.test(text) ? text : undefined;
}

/** What leads to the page of an id, by the id's prefix. */
const PAGES: Readonly<Record<string, string>> = {
  vgen: "generations/",
  igen: "generations/",
  file: "files/",
  req: "requests?request_id=",
  evt: "settings/webhooks/",
  whd: "settings/webhooks/",
  key: "generations?key=",
};

const IDS = /(?<![a-z])[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}(?![0-9a-z])/g;

/** The id in a text, such as a URL or the JSON of an error, with the first of the prefixes that is there. */
export function idIn(text: string, prefixes = Object.keys(PAGES)): string | undefined {
  const ids = text.match(IDS) ?? [];
  return prefixes.flatMap((prefix) => ids.filter((id) => id.startsWith(`${prefix}_`)))[0];
}

/** Undefined for a text without an id that has a page. */
export function pageOfId(text: string): string | undefined {
  const id = idIn(text);
  return id && `${PAGES[id.replace(/_.*/, "")]}${id}`;
}

/** The filters for a path or URL that was sent: as the log has it, without ids, and the generation that it names; none for half a URL. */
export function loggedPath(text: string): { path: string; request_id?: string } | undefined {
  const id = idIn(text, ["vgen", "igen"]);
  const path = text.replace(/^https?:\/\/[^/]+/, "").replace(/[?#].*/, "");
  if (path === "" && text !== "") return undefined;
  return { path: path.replaceAll(IDS, "{id}"), ...(id && { request_id: id }) };
}

/** The filter of the request log as the API takes it: an id is a request's or a generation's. */
export function requestQuery(filter: Readonly<Record<string, string | undefined>>) {
  const { request_id: id, key, ...rest } = filter;
  const isGeneration = id !== undefined && pageOfId(id)?.startsWith("generations/");
  return { ...rest, [isGeneration ? "generation_id" : "request_id"]: id, key_id: key };
}
