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

const PAGES = {
  vgen: (id: string) => `generations/${id}`,
  igen: (id: string) => `generations/${id}`,
  file: (id: string) => `files/${id}`,
  req: (id: string) => `requests?request_id=${id}`,
  evt: (id: string) => `settings/webhooks/${id}`,
  whd: (id: string) => `settings/webhooks/${id}`,
  key: (id: string) => `generations?key=${id}`,
};

/** Undefined for what is no id, or one without a page. */
export function pageOfId(text: string): string | undefined {
  const [id, prefix] = /^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/.exec(text.trim()) ?? [];
  return id && PAGES[prefix as keyof typeof PAGES]?.(id);
}

/** The filters for a path or URL that was sent: as the log has it, without ids, and the generation that it names; none for half a URL. */
export function loggedPath(text: string): { path: string; request_id?: string } | undefined {
  const [id] = /[vi]gen_[0-7][0-9a-hjkmnp-tv-z]{25}/.exec(text) ?? [];
  const path = text.replace(/^https?:\/\/[^/]+/, "").replace(/[?#].*/, "");
  if (path === "" && text !== "") return undefined;
  return {
    path: path.replaceAll(/[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}/g, "{id}"),
    ...(id && { request_id: id }),
  };
}

/** The filter of the request log as the API takes it: an id is a request's or a generation's. */
export function requestQuery({
  request_id: id,
  key,
  ...rest
}: Readonly<Record<string, string | undefined>>) {
  const isGeneration = id !== undefined && pageOfId(id)?.startsWith("generations/");
  return { ...rest, [isGeneration ? "generation_id" : "request_id"]: id, key_id: key };
}
