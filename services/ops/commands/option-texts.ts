/** What options are, wherever they occur, the words that some take, and what an empty list says. */

export const ABOUT: Record<string, string> = {
  access: "full, or read for reads only",
  account: "the account's id, acct_…",
  answer: "what the mail says besides",
  "basis-points": "0 to 10000; 1500 is 15 %, 0 is the full price, also of a model that has its own",
  before: "all that were stored before this time, or so long ago: 30d",
  bytes: 'bytes, "none", or "default": none in live mode, 2000000000 in test mode',
  "creates-per-minute": "creates per minute and mode, 0 = no limit",
  "day-tokens": "live Tokens that it may use a day, UTC",
  days: 'how many, or "forever"',
  email: "the address that the user signs in with; of a user who exists the id works too",
  end: "end them",
  from: "now if left out, else a time to come, like 2026-12-01T00:00:00Z",
  generation: "only of this generation",
  id: "its id",
  key: "the key's id, key_…",
  kinds: "creates only these: video,image",
  limit: "how many at most",
  mode: "live or test",
  model: "the model; all models if left out",
  models: "creates only with these models: a,b",
  month: "like 2026-11",
  "month-tokens": "live Tokens that it may use a calendar month, UTC",
  name: "display name",
  "no-reference": "a recharge that counts each time it is called",
  note: "stored with the entry",
  "reads-per-minute": "reads per minute and mode, 0 = no limit",
  reason: "stored with the entry",
  reference:
    "your reference, e.g. of the invoice, kept for ever; repeated calls with it count once",
  release: "restore the Tokens of holds whose generation does not exist",
  "remove-second-factor": "for a user who has lost the app and the recovery codes",
  replaces: "only if the newest secret has this version",
  since: "created since this time, or within 30m, 24h, 7d; 24h for ended ones of all accounts",
  status: "pending, processing, success, failed or canceled; the unfinished ones if left out",
  tokens: "how many Tokens",
  unfinished: "unfinished generations per mode, 0 = no limit",
  url: "the exact URL",
};

/** The words that an option takes besides its values; undefined: the field is left out. */
export const WORDS: Record<string, Record<string, unknown>> = {
  days: { forever: undefined },
  bytes: { none: 0n, default: undefined },
};

/** The least value of fields, where no service says it as options have it. */
export const LEAST: Record<string, number> = { limit_bytes: 1, day_tokens: 0, month_tokens: 0 };

export const NONE: Record<string, string> = {
  "application list": "Nobody waits for an answer.",
  reconcile: "Holds and generations agree.",
};
