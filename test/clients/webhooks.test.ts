/** What the clients for TypeScript and Python do with signed events alike, against the service's signatures. */
import { verifyWebhook, WebhookVerificationError } from "../../clients/typescript/index.ts";
import { signedHeaders, signingKey } from "../../services/delivery/domain/signature.ts";
import { newSecret } from "../support/receiver.ts";
import { hasPython, runPython } from "./python/python.ts";

type Given = Record<string, string | undefined>;
/** What differs from the event as the service sends it; `later` is in seconds. */
type Case = { raw?: string; given?: Given; by?: string; later?: number };

const secret = newSecret();
const event = { type: "video.generation.completed", data: { prompt: "a cat 🐈" } };
const body = JSON.stringify(event);
const timestampSeconds = 1_794_916_926;

function headersBy(...secrets: string[]): Record<string, string> {
  const signable = { id: "evt_1", timestampSeconds, body: Buffer.from(body) };
  return { ...signedHeaders(secrets.map(signingKey), signable) };
}

const headers = headersBy(secret);
const rotated = headersBy(newSecret(), secret);
const changed = (name: string, value: string | undefined): Case => ({
  given: { ...headers, [`webhook-${name}`]: value },
});
const MANY_VERSIONS = `v2,AAAA v1a,!! ${headers["webhook-signature"]}`;
const upperCase = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);

const OTHER =
  "refused: No signature matches this body and secret. Check that the secret is that of this mode, and the body the raw one.";
const LATE = "refused: webhook-timestamp is not within five minutes of this machine's time.";
/** The webhook is not at fault. */
const NO_SECRET =
  "wrong: The secret must be the text whsec_…, all of it. Is its environment variable set?";

/** By what each comes to: the event, or what is said of the webhook, or of the arguments. */
const CASES: [name: string, comesTo: unknown, Case][] = [
  ["as it is sent", event, {}],
  ["with headers in upper case", event, { given: Object.fromEntries(upperCase) as Given }],
  ["with several signatures, of which one is valid", event, { given: rotated }],
  ["with signatures of versions to come", event, changed("signature", MANY_VERSIONS)],
  ["by a secret without its prefix", event, { by: secret.replace("whsec_", "") }],
  ["five minutes late", event, { later: 300 }],
  ["five minutes early", event, { later: -300 }],
  ["another body", OTHER, { raw: `${body} ` }],
  ["another secret", OTHER, { by: newSecret() }],
  ["another id", OTHER, changed("id", "evt_2")],
  ["another time", OTHER, changed("timestamp", `${timestampSeconds + 1}`)],
  ...["v1,", "v1,!!", "v2,AAAA", "nonsense", "v1,AAAA"].map((one): (typeof CASES)[number] => [
    `the signature ${one}`,
    OTHER,
    changed("signature", one),
  ]),
  ["no time", LATE, changed("timestamp", "now")],
  ["an old time", LATE, { later: 301 }],
  ["a time to come", LATE, { later: -301 }],
  ...["id", "timestamp", "signature"].map((name): (typeof CASES)[number] => [
    `no ${name}`,
    `refused: The header webhook-${name} is missing or repeated.`,
    changed(name, undefined),
  ]),
  ["no secret", NO_SECRET, { by: "" }],
  ["no secret after its prefix", NO_SECRET, { by: "whsec_" }],
  ["a secret that is none", NO_SECRET, { by: "whsec_???" }],
  ["a word in place of the secret", NO_SECRET, { by: "wrong" }],
  ["a secret that is cut off", NO_SECRET, { by: secret.slice(0, -2) }],
];

async function inTypeScript({ raw = body, given = headers, by = secret, later = 0 }: Case) {
  vi.useFakeTimers({ toFake: ["Date"], now: (timestampSeconds + later) * 1_000 });
  return verifyWebhook(raw, given, by).catch((error: unknown) =>
    [
      error instanceof WebhookVerificationError ? "refused" : "wrong",
      (error as Error).message,
    ].join(": "),
  );
}

const IN_PYTHON = `
for case in json.loads(os.environ["CASES"]):
    try: show(media.verify_webhook(case["raw"], case["given"], case["by"], now=lambda: case["now"]))
    except media.WebhookVerificationError as error: show(f"refused: {error}")
    except ValueError as error: show(f"wrong: {error}")
`;

async function allInPython(): Promise<unknown[]> {
  const all = CASES.map(([, , { later = 0, ...own }]) => {
    const now = timestampSeconds + later;
    return { raw: body, given: headers, by: secret, now, ...own };
  });
  return runPython(IN_PYTHON, { CASES: JSON.stringify(all) });
}

describe("the verification of webhooks", () => {
  afterEach(() => void vi.useRealTimers());

  it.each(["TypeScript", ...(hasPython ? ["Python"] : [])])(
    "gives the event that the service signed, and refuses all else, in %s",
    async (language) => {
      const found: unknown[] = [];
      if (language === "Python") found.push(...(await allInPython()));
      else for (const [, , one] of CASES) found.push(await inTypeScript(one));
      expect(CASES.map(([name], at) => [name, found[at]])).toEqual(
        CASES.map(([name, comesTo]) => [name, comesTo]),
      );
    },
  );

  it("takes bytes, the headers of a request of the web, and none that was sent twice, in TypeScript", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: timestampSeconds * 1_000 });
    const bytes = new TextEncoder().encode(body);
    expect(await verifyWebhook(bytes, new Headers(headers), secret)).toEqual(event);
    const twice = { ...headers, "webhook-id": ["evt_1", "evt_1"] };
    await expect(verifyWebhook(bytes, twice, secret)).rejects.toThrow(
      "webhook-id is missing or repeated",
    );
  });

  it.skipIf(!hasPython)("says in Python what is wrong, and takes bytes of any kind", async () => {
    const program = `
body, headers, secret = os.environ["BODY"], json.loads(os.environ["HEADERS"]), os.environ["SECRET"]
def tried(raw=body, given=headers, by=secret, at=${timestampSeconds}):
    try: return media.verify_webhook(raw, given, by, now=lambda: at)
    except ValueError as error: return f"ValueError: {error}"
    except media.WebhookVerificationError as error: return str(error)
show([*[tried(kind(body.encode())) for kind in (bytes, bytearray, memoryview)], tried(by=os.environ.get("WEBHOOK_SECRET")), tried(by=secret.encode()), tried(given={**headers, "Webhook-Id": "evt_1"}), tried(json.loads(body))])`;
    const env = { BODY: body, HEADERS: JSON.stringify(headers), SECRET: secret };
    expect(await runPython(program, env)).toEqual([
      [
        event,
        event,
        event,
        ...Array<string>(2).fill(
          "ValueError: The secret must be the text whsec_…, all of it. Is its environment variable set?",
        ),
        "The header webhook-id is missing or repeated.",
        expect.stringMatching(/^Pass the raw body, .*request\.get_data\(\)/),
      ],
    ]);
  });
});
