/** Passkeys at the dashboard's API; the browser's part is tested in Chromium. */
import { describe, expect, it } from "vitest";
import { passkeys } from "../../../../services/gateway/dashboard/session/auth.ts";
import { PASSWORD, newBrowser, type Browser, type Schemas, codeOf } from "../browser.ts";
import { useHarness } from "../../harness.ts";

const harness = useHarness();

describe("a passkey", () => {
  it("is added only with the password, and has to ask for finger, face or PIN", async () => {
    const browser = newBrowser(harness);
    await browser.signUp("passkey@example.com");
    const begin = (password: string) =>
      browser.send<Schemas["PasskeyOptions"]>("POST", "/auth/passkeys/options", { password });
    expect((await begin("guess")).status).toBe(401);
    const { status, body } = await begin(PASSWORD);
    expect(status).toBe(200);
    expect(body.options).toMatchObject({
      rp: { id: "localhost" },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    const made = { name: "Laptop", response: { id: "made-up" } };
    expect((await browser.send("POST", "/auth/passkeys", made)).status).not.toBe(204);
    const listed = await browser.send<Schemas["PasskeyList"]>("GET", "/auth/passkeys");
    expect(listed.body.data).toEqual([]);
  });

  it("that nobody has signs nobody in", async () => {
    const browser = newBrowser(harness);
    const path = "/auth/sign-in/passkey";
    const { body } = await browser.send<Schemas["PasskeyOptions"]>("POST", `${path}/options`);
    expect(body.options).toMatchObject({ userVerification: "required" });
    const made = { response: { id: "made-up" } };
    expect(codeOf(await browser.send("POST", path, made))).toEqual([401, "wrong_passkey"]);
  });

  it("is asked for by an address that waits after two hundred times", async () => {
    const begin = () => newBrowser(harness).send("POST", "/auth/sign-in/passkey/options");
    await harness.owner`delete from gateway.sign_in_attempts`;
    expect((await begin()).status).toBe(200);
    await harness.owner`update gateway.sign_in_attempts set next_at = now() + interval '1 hour'`;
    expect(codeOf(await begin())).toEqual([429, "too_many_attempts"]);
    await harness.owner`delete from gateway.sign_in_attempts`;
  });

  it("that did not ask for finger, face or PIN signs nobody in", async () => {
    const { options } = passkeys("https://media.example");
    const verified = (userVerified: boolean) => async () =>
      options?.authentication?.afterVerification?.({
        verification: { authenticationInfo: { userVerified } },
      } as never);
    await expect(verified(false)()).rejects.toMatchObject({ status: "UNAUTHORIZED" });
    await expect(verified(true)()).resolves.toBeUndefined();
  });

  it("is removed by its user only", async () => {
    const [owner, stranger] = [newBrowser(harness), newBrowser(harness)];
    const { user } = await owner.signUp();
    await stranger.signUp();
    const id = "2zjrwfavgwd8tj2ht7shw0cw42";
    await harness.owner`
      insert into gateway.passkeys
        (id, user_id, name, public_key, credential_id, counter, device_type, backed_up, created_at)
      values (${id}, ${user?.id ?? ""}, 'Phone', 'key', 'credential', 0, 'singleDevice', false, now())`;
    const remove = (browser: Browser, password = PASSWORD) =>
      browser.send("POST", `/auth/passkeys/${id}/remove`, { password });
    expect(codeOf(await remove(stranger))).toEqual([404, "passkey_not_found"]);
    expect(codeOf(await remove(owner, "guess"))).toEqual([401, "wrong_credentials"]);
    const listed = await owner.send<Schemas["PasskeyList"]>("GET", "/auth/passkeys");
    expect(listed.body.data).toMatchObject([{ id, name: "Phone" }]);
    expect((await remove(owner)).status).toBe(204);
  });
});
