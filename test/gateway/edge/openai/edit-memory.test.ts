/** What an edit holds while its image is made: neither its pictures nor its part of the memory for uploads. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { sendByNode } from "../../../support/send-by-node.ts";
import { useHarness, WITHOUT_EVENTS } from "../../harness.ts";
import { passTime } from "../../requests.ts";

const MIB = 1024 * 1024;
const EDITS = 4;
const PICTURE = Buffer.alloc(16 * MIB, "picture");

const harness = useHarness(WITHOUT_EVENTS);

/** In MiB, without what is garbage. */
function bytesHeld(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().arrayBuffers / MIB;
}

const part = (name: string, more = "") =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;

/** By no `fetch`, which keeps the body that it has sent. */
async function edit(): Promise<number> {
  const authorization = `Bearer ${harness.key.secret}`;
  const headers = { authorization, "content-type": "multipart/form-data; boundary=x" };
  const init = { method: "POST", headers };
  const answer = await sendByNode(`${harness.url}/openai/v1/images/edits`, init, (sent) => {
    sent.write(`${part("model")}gamma-image-3.0-pro\r\n${part("prompt")}a boat\r\n`);
    sent.write(part("image", '; filename="a.png"'));
    sent.write(PICTURE);
    sent.end("\r\n--x--\r\n");
  });
  return answer.status;
}

it("holds no picture once it is stored, nor counts it, so that more are taken than memory has room for", async () => {
  harness.answerAll({ status: Status.PROCESSING, output: [] });
  const isMade = () => harness.calls.filter(({ method }) => method === "createImage").length;
  const before = bytesHeld();
  const answers: Promise<number>[] = [];
  for (let sent = 1; sent <= EDITS; sent += 1) {
    answers.push(edit());
    await expect.poll(isMade, { timeout: 20_000 }).toBe(sent);
  }
  harness.calls.length = 0;
  await expect.poll(() => bytesHeld() - before, { timeout: 20_000 }).toBeLessThan(16);
  harness.answerAll({ status: Status.CANCELED, output: [] });
  const statuses = await passTime(WITHOUT_EVENTS.clock, Promise.all(answers));
  expect(statuses).toEqual(answers.map(() => 409));
});
