/** The Python client's webhook verification, against the service's signatures. */
import { expect, it } from "vitest";
import { signedHeaders, signingKey } from "../../../services/delivery/domain/signature.ts";
import { newSecret } from "../../support/receiver.ts";
import { hasPython, runPython } from "./python.ts";

const secret = newSecret();
const event = { type: "webhook.test", text: "a cat 🐈" };
const body = JSON.stringify(event);
const timestampSeconds = 1_794_916_926;

function headersBy(...secrets: string[]) {
  const signable = { id: "evt_1", timestampSeconds, body: Buffer.from(body) };
  return signedHeaders(secrets.map(signingKey), signable);
}

it.skipIf(!hasPython)(
  "verify_webhook returns what the service signed, also after a rotation, and refuses all else with a reason (needs python3)",
  async () => {
    const program = `
body, headers, rotated, secret = os.environ["BODY"], json.loads(os.environ["HEADERS"]), json.loads(os.environ["ROTATED"]), os.environ["SECRET"]
now = ${timestampSeconds}
def tried(raw=body, given=headers, by=secret, at=now):
    try: return media.verify_webhook(raw, given, by, now=lambda: at)
    except media.WebhookVerificationError as error: return str(error)
show([tried(), tried(body.encode()), tried(given=rotated), tried(given={name.title(): value for name, value in headers.items()}), tried(by=secret.removeprefix("whsec_"))])
show([tried(body + " "), tried(by="whsec_" + "A" * 32), tried(given={**headers, "webhook-id": "evt_2"})])
show([tried(at=now + 301), tried(at=now - 301), tried(at=now + 300) == tried()])
show(tried(given={**headers, "webhook-timestamp": "now"}))
try: tried(by=os.environ.get("WEBHOOK_SECRET"))
except ValueError as error: show(str(error))
show([tried(by=""), tried(by="whsec_"), tried(by="whsec_?")])
show([tried(given={}), tried(given={**headers, "Webhook-Id": "evt_1"})])
show([tried(json.loads(body)), tried(None)])`;
    const shown = await runPython(program, {
      BODY: body,
      HEADERS: JSON.stringify(headersBy(secret)),
      ROTATED: JSON.stringify(headersBy(newSecret(), secret)),
      SECRET: secret,
    });
    const noMatch = "No signature matches this body and secret.";
    const tooFar = "webhook-timestamp is too far from the current time.";
    const badSecret = "The secret is not valid: copy all of it, including whsec_.";
    const parsed = expect.stringMatching(/^Pass the raw body, .*request\.get_data\(\)/) as string;
    expect(shown).toEqual([
      [event, event, event, event, event],
      [noMatch, noMatch, noMatch],
      [tooFar, tooFar, true],
      "webhook-timestamp is not a time in Unix seconds.",
      "The secret must be the text whsec_…; it is None. Is its environment variable set?",
      [badSecret, badSecret, badSecret],
      [
        "The header webhook-id is missing or repeated.",
        "The header webhook-id is missing or repeated.",
      ],
      [parsed, parsed],
    ]);
  },
);
