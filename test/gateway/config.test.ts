/** The gateway's configuration: defaults, and errors that name every bad variable. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readConfig } from "../../services/gateway/config.ts";
import { createAuthority } from "../support/certificates.ts";
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
const authority = createAuthority(directory);
const [TLS_CERT, TLS_KEY] = [authority.issue("one").certFile, authority.issue("two").keyFile];
const PRODUCTION = { NODE_ENV: "production", TRUSTED_PROXIES: "10.1.2.3,10.1.3.0/28" };
const PUBLIC_URL = "https://api.example.com";
const MAIL_DIR = "/var/mails";
const [SMTP_URL, MAIL_FROM] = ["smtps://user:password@mail.example.com", "a@example.com"];

describe("the gateway's configuration", () => {
  it("needs no other variable, and takes a URL with a slash at its end", () => {
    const { billingUrl, mail } = readConfig(required);
    expect([billingUrl, mail]).toEqual([["http://billing:8081"], { kind: "none" }]);
  });

  it("names every missing or invalid variable in one error", () => {
    const wrong = { PORT: "80x", PUBLIC_URL: "nope", EGRESS_ALLOW: "10.0.0.0/99", TLS_CERT: "/no" };
    expect(() => readConfig(wrong)).toThrow(
      /DATABASE_URL[^]*PORT[^]*PUBLIC_URL[^]*GENERATION_URL[^]*BILLING_URL[^]*DELIVERY_URL[^]*DELIVERY_ASSETS_URL[^]*EGRESS_ALLOW[^]*TLS_CERT[^]*TLS_KEY[^]*AUTH_SECRET/,
    );
  });

  it.each<[says: RegExp, of: object]>([
    [/EGRESS_ALLOW must not/, { ...PRODUCTION, EGRESS_ALLOW: "::1" }],
    [/set TLS_CERT and TLS_KEY, or TRUSTED_PROXIES/, { NODE_ENV: "production", PUBLIC_URL }],
    [/PUBLIC_URL must begin with https:/, { ...PRODUCTION, PUBLIC_URL: "http://api.example.com" }],
    // Clients may have a private address too.
    [
      /TRUSTED_PROXIES: not an address or CIDR block: "uniquelocal"/,
      { TRUSTED_PROXIES: "uniquelocal" },
    ],
    [/TRUSTED_PROXIES: .*"haproxy"/, { TRUSTED_PROXIES: "loopback,10.1.2.3,haproxy" }],
    [/SMTP_URL must begin with[^]*MAIL_FROM/, { SMTP_URL: "http://mail.example.com" }],
    // The slash of the password had to be encoded.
    [/SMTP_URL must begin with [^@]+$/m, { SMTP_URL: "smtp://me:pass/word@mail" }],
    [/ {2}- BILLING_URL must begin with http:\S+ or https:/, { BILLING_URL: "localhost:9002" }],
    [/ {2}- NATS_URL must list [^]* not "…@nats"/, { NATS_URL: "nats://me:pass/word@nats" }],
    [/TLS_CERT, TLS_KEY: .*key values mismatch/, { TLS_CERT, TLS_KEY }],
    [/ {2}- DRAIN_MS must be a whole number from 0 to/, { DRAIN_MS: " " }],
  ])("is refused with %s where it is %j", (says, of) => {
    expect(() => readConfig({ ...required, ...of })).toThrow(says);
  });

  it.each<[of: object, setting: object]>([
    [{ ...PRODUCTION, PUBLIC_URL }, { trustedProxies: ["10.1.2.3", "10.1.3.0/28"] }],
    [{ ...PRODUCTION, PUBLIC_URL: "http://localhost:8080" }, {}],
    [PRODUCTION, { signUp: "invitation" }],
    [{ ...PRODUCTION, SIGN_UP: "open" }, { signUp: "open" }],
    [{ TOKEN_PRICE: "0.01 USD" }, { tokenPrice: { amount: "0.01", currency: "USD" } }],
    [{ TOKEN_PRICE: "2 JPY" }, { tokenPrice: { amount: "2", currency: "JPY" } }],
    [{ MAIL_DIR }, { mail: { kind: "folder", directory: MAIL_DIR } }],
    [{ MAIL_DIR, SMTP_URL, MAIL_FROM }, { mail: { kind: "smtp", url: SMTP_URL, from: MAIL_FROM } }],
  ])("that is %j has %j", (of, setting) => {
    expect(readConfig({ ...required, ...of })).toMatchObject(setting);
  });

  it("takes only a decimal and a currency as the price of a Token, and refuses any other by name", () => {
    const wrong = ["0.01", "USD 0.01", "0.01 usd", "0.01 ZZZ", "0.00 USD", "-1 USD", "1e-2 USD"];
    for (const text of [...wrong, ".01 USD", "0,01 EUR", "0.01  USD", "0.0000000001 USD"]) {
      expect(() => readConfig({ ...required, TOKEN_PRICE: text })).toThrow(
        `TOKEN_PRICE must be a decimal above 0, a space and an ISO 4217 currency, such as "0.01 USD", not "${text}"`,
      );
    }
  });
});
