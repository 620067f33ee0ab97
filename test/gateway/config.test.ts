/** The gateway's configuration: defaults, and errors that name every bad variable. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../services/gateway/config.ts";
import { folderForTests } from "../support/temporary-folder.ts";

const directory = folderForTests();

const file = async (name: string, text: string) => {
  await writeFile(join(directory, name), text);
  return join(directory, name);
};
const required = {
  DATABASE_URL: "postgres://u:p@127.0.0.1/db",
  SERVICE_KEY_FILE: await file("key.json", "{}"),
  TRUSTED_KEYS_FILE: await file("keys.json", '{"keys":[]}'),
  GENERATION_URL: "http://generation:8081",
  BILLING_URL: "http://billing:8081/",
  DELIVERY_URL: "http://delivery:8080",
  DELIVERY_ASSETS_URL: "http://delivery:8082/assets",
  AUTH_SECRET: "x".repeat(32),
};

describe("the gateway's configuration", () => {
  it("needs no other variable, and takes a URL with a slash at its end", () => {
    const { billingUrl, mail } = readConfig(required);
    expect([billingUrl, mail]).toEqual([["http://billing:8081"], { kind: "none" }]);
  });

  it("names every missing or invalid variable in one error", () => {
    const url = { PORT: "80x", PUBLIC_URL: "nope" };
    const wrong = { ...url, EGRESS_ALLOW: "127.0.0.0/99", TLS_CERT: "/no" };
    expect(() => readConfig(wrong)).toThrow(
      /DATABASE_URL[^]*PORT[^]*PUBLIC_URL[^]*GENERATION_URL[^]*BILLING_URL[^]*DELIVERY_URL[^]*DELIVERY_ASSETS_URL[^]*EGRESS_ALLOW[^]*TLS_CERT[^]*TLS_KEY[^]*AUTH_SECRET/,
    );
  });

  it("refuses production without TLS, or behind a proxy that is not named", () => {
    const production = { ...required, NODE_ENV: "production" };
    expect(() => readConfig({ ...production, EGRESS_ALLOW: "::1" })).toThrow(
      "EGRESS_ALLOW must not",
    );
    const publicUrl = { PUBLIC_URL: "https://api.example.com" };
    expect(() => readConfig({ ...production, ...publicUrl })).toThrow(
      "set TLS_CERT and TLS_KEY, or TRUSTED_PROXIES",
    );
    const behind = { ...production, TRUSTED_PROXIES: "10.1.2.3,10.1.3.0/28" };
    expect(readConfig({ ...behind, ...publicUrl }).trustedProxies).toEqual([
      "10.1.2.3",
      "10.1.3.0/28",
    ]);
    expect(() => readConfig({ ...behind, PUBLIC_URL: "http://api.example.com" })).toThrow(
      "PUBLIC_URL must begin with https://",
    );
    expect(readConfig({ ...behind, PUBLIC_URL: "http://localhost:8080" })).toBeDefined();
  });

  it("refuses to trust whatever has a private address, because clients may have one too", () => {
    for (const TRUSTED_PROXIES of ["uniquelocal", "10.1.2.3,linklocal"]) {
      expect(() => readConfig({ ...required, TRUSTED_PROXIES })).toThrow(
        "TRUSTED_PROXIES must name the addresses of the proxies",
      );
    }
  });

  it("takes a price of a Token as a decimal and a currency, and refuses any other, by name", () => {
    const priceOf = (TOKEN_PRICE: string) => readConfig({ ...required, TOKEN_PRICE }).tokenPrice;
    expect(priceOf("0.01 USD")).toEqual({ amount: "0.01", currency: "USD" });
    expect(priceOf("2 JPY")).toEqual({ amount: "2", currency: "JPY" });
    const wrong = ["0.01", "USD 0.01", "0.01 usd", "0.01 ZZZ", "0.00 USD", "-1 USD", "1e-2 USD"];
    for (const text of [...wrong, ".01 USD", "0,01 EUR", "0.01  USD", "0.0000000001 USD"]) {
      expect(() => priceOf(text)).toThrow(
        `TOKEN_PRICE must be a decimal above 0, a space and an ISO 4217 currency, such as "0.01 USD", not "${text}"`,
      );
    }
  });

  it("closes sign-up in production unless it is opened", () => {
    const production = { ...required, NODE_ENV: "production", TRUSTED_PROXIES: "loopback" };
    expect(readConfig(production).signUp).toBe("invitation");
    expect(readConfig({ ...production, SIGN_UP: "open" }).signUp).toBe("open");
  });

  it("sends mail by SMTP_URL, or else writes it to MAIL_DIR", () => {
    const [SMTP_URL, MAIL_FROM] = ["smtps://user:password@mail.example.com", "a@example.com"];
    const folder = { ...required, MAIL_DIR: "/var/mails" };
    expect(readConfig(folder).mail).toEqual({ kind: "folder", directory: "/var/mails" });
    expect(readConfig({ ...folder, SMTP_URL, MAIL_FROM }).mail).toEqual({
      kind: "smtp",
      url: SMTP_URL,
      from: MAIL_FROM,
    });
    expect(() => readConfig({ ...required, SMTP_URL: "http://mail.example.com" })).toThrow(
      /SMTP_URL must begin with[^]*MAIL_FROM/,
    );
  });
});
