/** Whom the status page of npm start answers. */
import type { PeerUrls } from "#runtime/service/service.ts";
import { openStatusPage } from "../../services/standalone/status-page.ts";
import { sendByNode } from "../support/send-by-node.ts";

/** Where nothing listens. */
const NOWHERE: PeerUrls = ["http://127.0.0.1:9"];
const rpcUrls = { gateway: NOWHERE, billing: NOWHERE, generation: NOWHERE, delivery: NOWHERE };

it.each([
  ["localhost", 200],
  ["127.0.0.1:1234", 200],
  ["media.example", 404],
  ["localhost.media.example", 404],
  ["127.0.0.1:80@media.example", 404],
])(
  "a page of a stranger whose name leads to this machine gets nothing: %s is %i",
  async (host, status) => {
    await using page = await openStatusPage(rpcUrls, 0);
    const answer = await sendByNode(page.url, { headers: { host } });
    expect([answer.status, answer.body.includes("generation")]).toEqual([status, status === 200]);
  },
);

it("names the variable of a port that is taken", async () => {
  await using page = await openStatusPage(rpcUrls, 0);
  const another = openStatusPage(rpcUrls, Number(new URL(page.url).port));
  await expect(another).rejects.toThrow("STATUS_PORT must be another");
});
