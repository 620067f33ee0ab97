/** What the clients for TypeScript and Python do alike: scenarios.json, on a service that answers as each says. */
import { isDeepStrictEqual } from "node:util";
import {
  createClient,
  WaitStoppedError,
  type ApiError,
  type Image,
  type RequestEvent,
  type Video,
} from "../../clients/typescript/index.ts";
import { forTests } from "../support/for-tests.ts";
import {
  answeringService,
  hasPython,
  KEY,
  runPython,
  streamOf,
  type Answer,
  type Sent,
} from "./python/python.ts";
import file from "./scenarios.json" with { type: "json" };

/** `error.message` is a pattern; `sent` is what is so of each request, or how many; `keys` counts Idempotency-Keys. */
type Scenario = {
  name: string;
  call: string;
  /** Of the base URL, or all of it. */
  path?: string;
  base?: string;
  /** In it `{ "picture": text }` is a picture with these bytes. */
  given?: string | object | null;
  /** Of the create that is sent, if it is not as `given`. */
  body?: object;
  /** In Python's names; those for TypeScript are made of them. */
  options?: Record<string, unknown>;
  answers: Answer[];
  result?: unknown;
  error?: { message?: string; [field: string]: unknown };
  slept?: number[];
  sent?: number | { method?: string; path?: string; headers?: Record<string, string> }[];
  keys?: number;
  /** Of `on_request`, in Python's names; an error by its class, and the URL without the service's. */
  events?: Record<string, unknown>[];
  /** Of `on_progress`, each as `status progress`. */
  progress?: string[];
};

/** A stream of events, of which each is `status progress`. */
type Stream = { stream: string[]; breaks?: true };

/**
 * In the file an answer is also the name of one, `status [type code]` or a stream; `errors` are as many scenarios, and
 * so are `cases`, by what differs, and those that are `refused` before anything is sent, by what is said of them.
 */
type Written = Omit<Scenario, "answers" | "call"> & {
  call?: string;
  answers?: (string | Answer | Stream)[];
  errors?: string[];
  cases?: Partial<Written>[];
  refused?: Record<string, Partial<Written>[]>;
};

const named = file.answers as Record<string, Answer>;

function answerOf(written: string | Answer | Stream): Answer {
  if (typeof written !== "string")
    return "stream" in written ? { ...written, ...streamOf(...written.stream) } : written;
  const [status = "", type, code] = written.split(" ");
  if (named[status]) return named[status];
  if (type === undefined) return { status: Number(status), body: "<html>" };
  const error = { type, code, message: "Do this.", request_id: "req_1", param: "prompt" };
  return { status: Number(status), body: { error } };
}

const scenarios = (file.scenarios as Written[]).flatMap(scenariosOf);

function scenariosOf({ errors, refused = {}, cases, ...one }: Written): Scenario[] {
  const wrong = Object.entries(refused).flatMap(([message, all]) =>
    all.map((each) => {
      const error = { class: "ArgumentError", message, generation_id: "" };
      return { ...each, error, sent: 0 };
    }),
  );
  const several = cases ?? wrong;
  if (several.length > 0)
    return several.flatMap((each) =>
      scenariosOf({ ...one, ...each, name: `${one.name}: ${JSON.stringify(each)}` }),
    );
  const { call = "" } = one;
  if (errors === undefined) {
    const result = typeof one.result === "string" ? named[one.result]?.body : one.result;
    return [{ ...one, call, answers: (one.answers ?? []).map(answerOf), result }];
  }
  return errors.map((text) => {
    const [name, status, ...rest] = text.split(" ");
    const [type, code = "unknown"] = rest;
    const error = { class: name, status: Number(status), code, ...(type && { type }) };
    const answers = [answerOf([status, ...rest].join(" "))];
    return { ...one, call, name: `${one.name}: ${text}`, answers, error, sent: 1 };
  });
}

type Outcome = Pick<Scenario, "result" | "error"> &
  Required<Pick<Scenario, "slept" | "events" | "progress">>;

type Functions = Record<string, (...all: unknown[]) => unknown>;

const camel = (name: string) =>
  name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());

function optionsOf(options: Record<string, unknown> = {}): object {
  const entries = Object.entries(options).map(([name, value]) =>
    name.endsWith("_seconds")
      ? [camel(name.replace("_seconds", "_ms")), Number(value) * 1_000]
      : [camel(name), value],
  );
  return Object.fromEntries(entries) as object;
}

async function inTypeScript(scenario: Scenario, url: string): Promise<Outcome> {
  const { call, path = "", base = `${url}${path}`, options } = scenario;
  const seen: Omit<Outcome, "result" | "error"> = { slept: [], events: [], progress: [] };
  let nowMs = Date.parse("2026-11-17T12:00:00Z");
  const timing = {
    sleep: async (ms: number) => {
      seen.slept.push(ms / 1_000);
      nowMs += ms;
    },
    random: () => 0,
    nowMs: () => nowMs,
  };
  const onRequest = ({ requestId, retryInMs, ...event }: RequestEvent) => {
    const retry_in_seconds = retryInMs && retryInMs / 1_000;
    const names = { url: event.url.replace(url, ""), error: event.error?.name };
    seen.events.push({ ...event, request_id: requestId, retry_in_seconds, ...names });
  };
  const onProgress = ({ status, progress }: Video | Image) =>
    seen.progress.push(`${status} ${progress}`);
  const [kind = "", name = ""] = call.split(".");
  const all: unknown[] = [{ ...optionsOf(options), ...(scenario.progress && { onProgress }) }];
  if ("given" in scenario)
    all.unshift(
      JSON.parse(JSON.stringify(scenario.given), (_name, value: { picture?: string } | null) =>
        value?.picture === undefined ? value : new Blob([value.picture]),
      ),
    );
  try {
    const client = createClient({ apiKey: KEY, baseUrl: base, timing, onRequest });
    const kinds = { ...client, client } as unknown as Record<string, Functions>;
    const called = kinds[kind]?.[camel(name)]?.(...all);
    if (!/list|watch/.test(name)) return { result: (await called) ?? null, ...seen };
    const items: unknown[] = [];
    for await (const item of called as AsyncIterable<unknown>) items.push(item);
    return { result: items, ...seen };
  } catch (thrown) {
    const error = thrown as ApiError & { generationId?: string };
    const { status, type, code, param, message, requestId, generationId = "" } = error;
    const doc_url = error.docUrl?.replace(url, "") ?? "";
    const ids = { request_id: requestId, generation_id: generationId, doc_url };
    const named = error instanceof WaitStoppedError ? "WaitStoppedError" : error.name;
    return { error: { class: named, status, type, code, param, message, ...ids }, ...seen };
  }
}

/** Runs all of them in one program. */
const IN_PYTHON = `
def outcome_of(scenario, url):
    seen = {"slept": slept, "events": [], "progress": []}
    slept.clear()
    kind, name = scenario["call"].split(".")
    given, options = scenario.get("given", {}), scenario.get("options", {})
    is_fields = "given" not in scenario or isinstance(given, dict) and name.startswith(("create", "list"))
    if "progress" in scenario: options["on_progress"] = lambda one: seen["progress"].append(f"{one['status']} {one['progress']}")
    on_request = lambda event: seen["events"].append({**vars(event), "url": event.url.replace(url, ""), "error": event.error and type(event.error).__name__})
    try:
        client = media.Client(api_key=KEY, base_url=scenario.get("base", url + scenario.get("path", "")), timing=timing, on_request=on_request)
        call = getattr(client if kind == "client" else getattr(client, kind), name)
        called = call(**given, **options) if is_fields else call(given, **options)
        return {"result": list(called) if name in ("list", "watch") else called, **seen}
    except media.MediaError as error:
        named = {name: getattr(error, name, None) for name in ("status", "type", "code", "param", "request_id")}
        ids = {name: (getattr(error, name, None) or "").replace(url, "") for name in ("generation_id", "doc_url")}
        return {"error": {"class": type(error).__name__, "message": error.message, **named, **ids}, **seen}
    except (TypeError, ValueError) as error:
        return {"error": {"class": "ArgumentError", "message": str(error), "generation_id": ""}, **seen}
def read(one): return one["picture"].encode() if "picture" in one else one
for scenario, url in json.loads(os.environ["SCENARIOS"], object_hook=read):
    show(outcome_of(scenario, url))
`;

/** What is to be seen of a scenario. */
function expectedOf({ error, result, slept, sent, keys, events, progress }: Scenario) {
  const { message: _pattern, ...named } = error ?? {};
  return {
    ...(error ? { error: named } : { result }),
    isSaid: true,
    tellsSecrets: false,
    otherBodies: 0,
    ...(slept && { slept }),
    ...(sent !== undefined && { sent }),
    ...(keys !== undefined && { keys }),
    ...(events && { events }),
    ...(progress && { progress }),
  };
}

function seenOf(scenario: Scenario, outcome: Outcome | undefined, requests: Sent[]) {
  const { call, given, body = given, error, sent } = scenario;
  const isOther = (one: Sent) =>
    call.includes("create") &&
    one.method === "POST" &&
    one.path !== "/v1/files" &&
    !isDeepStrictEqual(JSON.parse(one.body), body);
  return {
    ...outcome,
    isSaid: new RegExp(error?.message ?? "").test(String(outcome?.error?.message ?? "")),
    tellsSecrets: new RegExp(`${KEY}|a cat`).test(JSON.stringify(outcome?.events)),
    otherBodies: requests.filter(isOther).length,
    sent: typeof sent === "number" ? requests.length : requests,
    keys: new Set(requests.map(({ headers }) => headers["idempotency-key"])).size,
  };
}

const languages = ["TypeScript", "Python"].filter((name) => name !== "Python" || hasPython);

describe.each(languages)("the client for %s", (language) => {
  const run = forTests(async (stack) => {
    const services: Awaited<ReturnType<typeof answeringService>>[] = [];
    for (const { answers } of scenarios) services.push(stack.use(await answeringService(answers)));
    const pairs = scenarios.map((scenario, at) => [scenario, services[at]?.url ?? ""] as const);
    const outcomes =
      language === "Python"
        ? await runPython(IN_PYTHON, { SCENARIOS: JSON.stringify(pairs) })
        : await Promise.all(pairs.map((pair) => inTypeScript(...pair)));
    return { services, outcomes: outcomes as Outcome[] };
  });

  it.each(scenarios.map((scenario, at) => [scenario.name, scenario, at] as const))(
    "does as it should: %s",
    (_name, scenario, at) => {
      const seen = seenOf(scenario, run.outcomes[at], run.services[at]?.requests ?? []);
      expect(seen).toMatchObject(expectedOf(scenario));
    },
  );
});
