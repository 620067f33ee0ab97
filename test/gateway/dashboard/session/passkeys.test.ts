/** Passkeys at the dashboard's API; the browser's part is tested in Chromium. */
import { describe, expect, it } from "vitest";
import { passkeys } from "../../../../services/gateway/dashboard/session/auth.ts";
import { useHarness } from "../../harness.ts";
import {
  codeOf,
  insertPasskey,
  newBrowser,
  newMember,
  PASSWORD,
  type Browser,
} from "../browser.ts";

const harness = useHarness();

describe("a passkey", () => {
  it("is added only with the password, and has to ask for finger, face or PIN", async () => {
    const { browser } = await newMember(harness);
    const begin = (password: string) =>
      browser.send<"PasskeyOptions">("POST", "/auth/passkeys/options", { password });
    expect((await begin("guess")).status).toBe(401);
    expect((await begin(PASSWORD)).body.options).toMatchObject({
      rp: { id: "localhost" },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    const made = { name: "Laptop", response: { id: "made-up" } };
    expect((await browser.send("POST", "/auth/passkeys", made)).status).not.toBe(204);
    expect(await browser.get("/auth/passkeys")).toMatchObject({ data: [] });
  });

  it("that nobody has signs nobody in, and is asked for by an address that waits after two hundred times", async () => {
    const browser = newBrowser(harness);
    const path = "/auth/sign-in/passkey";
    const begin = () => browser.send<"PasskeyOptions">("POST", `${path}/options`);
    await harness.owner`delete from gateway.sign_in_attempts`;
    expect((await begin()).body.options).toMatchObject({ userVerification: "required" });
    const made = { response: { id: "made-up" } };
    expect(codeOf(await browser.send("POST", path, made))).toEqual([401, "wrong_passkey"]);
    await harness.owner`update gateway.sign_in_attempts set next_at = now() + interval '1 hour'`;
    expect((await begin()).status).toBe(429);
    await harness.owner`delete from gateway.sign_in_attempts`;
  });

  it("that did not ask for finger, face or PIN signs nobody in", async () => {
    const { options } = passkeys("https://media.example");
    const verified = async (userVerified: boolean) => {
      const verification = { authenticationInfo: { userVerified } };
      await options?.authentication?.afterVerification?.({ verification } as never);
    };
    await expect(verified(false)).rejects.toMatchObject({ status: "UNAUTHORIZED" });
    await expect(verified(true)).resolves.toBeUndefined();
  });

  it("is removed by its user only", async () => {
    const { browser: owner, userId } = await newMember(harness);
    const { browser: stranger } = await newMember(harness);
    const id = "2zjrwfavgwd8tj2ht7shw0cw42";
    await insertPasskey(harness, userId, id);
    const remove = (browser: Browser, password = PASSWORD) =>
      browser.send("POST", `/auth/passkeys/${id}/remove`, { password });
    expect(codeOf(await remove(stranger))).toEqual([404, "passkey_not_found"]);
    expect(codeOf(await remove(owner, "guess"))).toEqual([401, "wrong_credentials"]);
    expect(await owner.get("/auth/passkeys")).toMatchObject({ data: [{ id, name: "Phone" }] });
    expect((await remove(owner)).status).toBe(204);
  });
});
