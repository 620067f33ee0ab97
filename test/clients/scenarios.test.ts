/** What the clients for TypeScript and Python do alike: scenarios.json, on a service that answers as each says. */
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { createClient, type ApiError } from "../../clients/typescript/index.ts";
import { forTests } from "../support/for-tests.ts";
import {
  answeringService,
  hasPython,
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
  /** Of the base URL. */
  path?: string;
  given?: string | object;
  /** In Python's names; those for TypeScript are made of them. */
  options?: Record<string, unknown>;
  answers: Answer[];
  result?: unknown;
  error?: { message?: string; [field: string]: unknown };
  slept?: number[];
  sent?: number | { method?: string; path?: string; headers?: Record<string, string> }[];
  keys?: number;
};

/** A stream of events, of which each is `status progress`. */
type Stream = { stream: string[]; breaks?: true };

/**
 * In the file an answer is also the name of one, `status [type code]` or a stream; `errors` are as many scenarios.
 */
type Written = Omit<Scenario, "answers"> & {
  answers?: (string | Answer | Stream)[];
  errors?: string[];
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

const scenarios = (file.scenarios as Written[]).flatMap(({ errors, ...one }): Scenario[] => {
  if (errors === undefined) {
    const result = typeof one.result === "string" ? named[one.result]?.body : one.result;
    return [{ ...one, answers: (one.answers ?? []).map(answerOf), result }];
  }
  return errors.map((text) => {
    const [name, status, ...rest] = text.split(" ");
    const [type, code = "unknown"] = rest;
    const error = { class: name, status: Number(status), code, ...(type && { type }) };
    const answers = [answerOf([status, ...rest].join(" "))];
    return { ...one, name: `${one.name}: ${text}`, answers, error, sent: 1 };
  });
});

type Outcome = {
  result?: unknown;
  error?: { message?: string; [field: string]: unknown };
  slept: number[];
};

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
  const { call, path, given, options } = scenario;
  const slept: number[] = [];
  let nowMs = Date.parse("2026-11-17T12:00:00Z");
  const timing = {
    sleep: async (ms: number) => {
      slept.push(ms / 1_000);
      nowMs += ms;
    },
    random: () => 0,
    nowMs: () => nowMs,
  };
  const baseUrl = `${url}${path ?? ""}`;
  const client = createClient({ apiKey: "mgs_test_example", baseUrl, timing });
  const [kind = "", name = ""] = call.split(".");
  const kinds = client as unknown as Record<string, Record<string, (...all: unknown[]) => unknown>>;
  const all = given === undefined ? [optionsOf(options)] : [given, optionsOf(options)];
  try {
    const called = kinds[kind]?.[camel(name)]?.(...all);
    if (!/list|watch/.test(name)) return { result: (await called) ?? null, slept };
    const items: unknown[] = [];
    for await (const item of called as AsyncIterable<unknown>) items.push(item);
    return { result: items, slept };
  } catch (thrown) {
    const error = thrown as ApiError & { generationId?: string };
    const { status, type, code, param, message, requestId, generationId } = error;
    const doc_url = error.docUrl?.replace(url, "") ?? "";
    const ids = { request_id: requestId, generation_id: generationId, doc_url };
    return { error: { class: error.name, status, type, code, param, message, ...ids }, slept };
  }
}

/** Runs all of them in one program. */
const IN_PYTHON = `
def outcome_of(scenario, url):
    slept.clear()
    client = media.Client(api_key=KEY, base_url=url + scenario.get("path", ""), timing=timing)
    kind, name = scenario["call"].split(".")
    given, options = scenario.get("given"), scenario.get("options", {})
    values, fields = ([given], {}) if isinstance(given, str) else ([], given or {})
    try:
        called = getattr(getattr(client, kind), name)(*values, **fields, **options)
        return {"result": list(called) if name in ("list", "watch") else called, "slept": slept}
    except media.MediaError as error:
        named = {name: getattr(error, name, None) for name in ("status", "type", "code", "param", "request_id", "generation_id")}
        page = (getattr(error, "doc_url", None) or "").replace(url, "")
        return {"error": {"class": type(error).__name__, "message": error.message, "doc_url": page, **named}, "slept": slept}
for scenario, url in json.loads(os.environ["SCENARIOS"]):
    show(outcome_of(scenario, url))
`;

/** What is to be seen of a scenario. */
function expectedOf({ error, result, slept, sent, keys }: Scenario) {
  const { message: _pattern, ...named } = error ?? {};
  return {
    ...(error ? { error: named } : { result }),
    isSaid: true,
    otherBodies: 0,
    ...(slept && { slept }),
    ...(sent !== undefined && { sent }),
    ...(keys !== undefined && { keys }),
  };
}

function seenOf(scenario: Scenario, outcome: Outcome | undefined, requests: Sent[]) {
  const { call, given, error, sent } = scenario;
  const isCreate = call.includes("create");
  return {
    ...outcome,
    isSaid: new RegExp(error?.message ?? "").test(String(outcome?.error?.message ?? "")),
    otherBodies: requests.filter(
      ({ method, body }) =>
        isCreate && method === "POST" && !isDeepStrictEqual(JSON.parse(body), given),
    ).length,
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
