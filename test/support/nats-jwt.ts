/** An operator, an account and users of a NATS server, as the `nsc` tool makes them. */
import { nkeys } from "nats";

const DAY_SECONDS = 86_400;

const CONNECTIONS = ["subs", "conn", "leaf", "imports", "exports", "data", "payload"];
const STREAMS = ["mem_storage", "disk_storage", "streams", "consumer"];
const unlimited = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, -1]));

type KeyPair = ReturnType<typeof nkeys.createUser>;

export function createNatsOperator() {
  const operator = nkeys.createOperator();
  const [system, account] = [nkeys.createAccount(), nkeys.createAccount()];
  const limits = { ...unlimited([...CONNECTIONS, ...STREAMS]), wildcards: true };
  const jwtOf = (key: KeyPair, name: string, more: object) =>
    sign(operator, key, name, { type: "account", version: 2, ...more });
  return {
    /** Lines of the server's configuration. */
    lines: [
      `operator: ${sign(operator, operator, "operator", { type: "operator", version: 2 })}`,
      `system_account: ${system.getPublicKey()}`,
      "resolver: MEMORY",
      "resolver_preload: {",
      `  ${system.getPublicKey()}: ${jwtOf(system, "system", { limits: unlimited(CONNECTIONS) })}`,
      `  ${account.getPublicKey()}: ${jwtOf(account, "account", { limits })}`,
      "}",
    ].join("\n"),
    /** The text of a user's credentials file; the user may do everything for that long. */
    credentials(validSeconds = DAY_SECONDS) {
      const user = nkeys.createUser();
      const rights = { ...unlimited(["subs", "data", "payload"]), pub: {}, sub: {} };
      const claims = { type: "user", version: 2, ...rights };
      const jwt = sign(account, user, "user", claims, validSeconds);
      const seed = new TextDecoder().decode(user.getSeed());
      const block = (title: string, text: string) =>
        `-----BEGIN ${title}-----\n${text}\n------END ${title}------\n\n`;
      return block("NATS USER JWT", jwt) + block("USER NKEY SEED", seed);
    },
  };
}

function sign(
  issuer: KeyPair,
  subject: KeyPair,
  name: string,
  nats: object,
  validSeconds = DAY_SECONDS,
): string {
  const now = Math.floor(Date.now() / 1_000);
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const header = encode({ typ: "JWT", alg: "ed25519-nkey" });
  const claims = encode({
    jti: name,
    iat: now,
    exp: now + validSeconds,
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name,
    nats,
  });
  const signature = issuer.sign(new TextEncoder().encode(`${header}.${claims}`));
  return `${header}.${claims}.${Buffer.from(signature).toString("base64url")}`;
}
