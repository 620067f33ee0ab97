/** The variables of the connection to NATS. */
import { envReader, type Env } from "#runtime/env.ts";
import { readNatsConfig } from "#runtime/events/config.ts";

const EXISTING = import.meta.filename;

function read(env: Env) {
  const reader = envReader(env);
  return reader.done(readNatsConfig(reader));
}

describe("the configuration of the event stream", () => {
  it.each([
    ["nats://a:1,nats://b, nats://c:3", ["a:1", "b", "c:3"], {}, undefined],
    ["tls://me:p%40ss@a:1,tls://b", ["a:1", "b"], { user: "me", pass: "p@ss" }, {}],
    ["nats://secret@[::1]:1", ["[::1]:1"], { token: "secret" }, undefined],
  ])("takes servers, credentials and TLS from %j", (url, servers, credentials, tls) => {
    expect(read({ NATS_URL: url })).toEqual({ servers, credentials, tls, replicas: 1 });
  });

  it("takes the files of TLS, and the number of replicas", () => {
    const env = { NATS_CA_FILE: EXISTING, NATS_CERT_FILE: EXISTING, NATS_KEY_FILE: EXISTING };
    const { tls, replicas } = read({ ...env, NATS_REPLICAS: "3" });
    expect(tls).toEqual({ caFile: EXISTING, certFile: EXISTING, keyFile: EXISTING });
    expect(replicas).toBe(3);
  });

  it.each([
    [
      { NATS_URL: "nats://a,nonsense" },
      'NATS_URL must list URLs such as nats://host:4222, not "nonsense"',
    ],
    [{ NATS_USER: "me" }, "NATS_PASSWORD is required"],
    [{ NATS_URL: "nats://me:pass@a", NATS_TOKEN: "secret" }, "NATS takes one of"],
    [{ NATS_CREDS_FILE: "/missing" }, "NATS_CREDS_FILE: cannot read /missing"],
    [{ NATS_CERT_FILE: EXISTING }, "NATS_CERT_FILE and NATS_KEY_FILE are used together"],
    [{ NATS_REPLICAS: "6" }, "NATS_REPLICAS must be a whole number from 1 to 5"],
  ])("refuses %j", (env, problem) => {
    expect(() => read(env)).toThrow(problem);
  });
});
