/** Invitations where mails are files. */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newBrowser, type Schemas } from "./browser.ts";
import { useHarness } from "../harness.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const directory = folderForTests();
const harness = useHarness({ config: { mail: { kind: "folder", directory } } });

it("puts the mail of an invitation into a file, and shows its link too", async () => {
  const owner = newBrowser(harness);
  const [account] = (await owner.signUp("owner@example.com")).accounts;
  const path = `/accounts/${account?.id}/invitations`;
  const invitation = { email: "guest@example.com", role: "developer" };
  const { body } = await owner.send<Schemas["CreatedInvitation"]>("POST", path, invitation);
  expect(body.url).toContain("/dashboard/invitations#token=");
  const mails = async () =>
    (await readdir(directory)).filter(
      (name) => name.endsWith(".txt") && name.includes("invitation"),
    );
  await expect.poll(mails).toHaveLength(1);
  const [file = ""] = await mails();
  const text = await readFile(join(directory, file), "utf8");
  expect(text).toContain("To: guest@example.com\n");
  expect(text).toContain(body.url);
});
