/** Mutual TLS between services. */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { ConnectError, createClient } from "@connectrpc/connect";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { envReader } from "#runtime/env.ts";
import { overHttp } from "#runtime/rpc/client/client.ts";
import { checkSchemes, readRpcTls, type RpcTls } from "#runtime/rpc/tls.ts";
import { createAuthority, type Authority } from "../../support/certificates.ts";
import { serveRpc } from "../../support/rpc-server.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const directory = folderForTests();

const ours = createAuthority(directory);
const billing = issue(ours, "billing");
const generation = issue(ours, "generation");
const elsewhere = issue(ours, "elsewhere", "DNS:elsewhere.example");
const theirs = createAuthority(await mkdtemp(join(directory, "theirs-")));
// It trusts the service, but the service does not trust it.
const stranger = { ...issue(theirs, "generation"), ca: billing.ca };

function issue(authority: Authority, name: string, hosts?: string): RpcTls {
  const { certFile: cert, keyFile: key } = authority.issue(name, { hosts });
  const env = { RPC_TLS_CA_FILE: authority.caFile, RPC_TLS_CERT_FILE: cert, RPC_TLS_KEY_FILE: key };
  return readRpcTls(envReader(env)) as RpcTls;
}

const serve = (tls: RpcTls) =>
  serveRpc((router) => router.service(BillingService, { getBalance: () => ({}) }), { tls });

async function call(url: string, tls?: RpcTls): Promise<unknown> {
  using http = overHttp([url], [], tls);
  return await createClient(BillingService, http).getBalance({});
}

it("is between services whose certificates one authority has signed", async () => {
  await using server = await serve(billing);
  expect(server.url).toMatch(/^https:/);
  await expect(call(server.url, generation)).resolves.toBeDefined();
});

it("refuses a caller without a certificate, or with one of another authority", async () => {
  await using server = await serve(billing);
  await expect(call(server.url, stranger)).rejects.toThrow("unavailable");
  const withoutCertificate = call(server.url, { ca: billing.ca, cert: "", key: "" });
  await expect(withoutCertificate).rejects.toBeInstanceOf(ConnectError);
});

it("refuses a service whose certificate is of another authority, or for another host", async () => {
  await using server = await serve({ ...stranger, ca: billing.ca });
  await expect(call(server.url, generation)).rejects.toThrow("unable to verify");
  await using other = await serve(elsewhere);
  await expect(call(other.url, generation)).rejects.toThrow("does not match");
});

it("takes no connection without TLS", async () => {
  await using server = await serve(billing);
  await expect(call(server.url.replace("https", "http"))).rejects.toThrow("unavailable");
});

it("stops the start where a peer's URL does not fit: no call is sent in plain text by mistake", () => {
  const check = (url: string, tls?: RpcTls) => () => checkSchemes("billing", [url], tls);
  expect(check("http://billing:9000", billing)).toThrow("must begin with https");
  expect(check("https://billing:9000")).toThrow("RPC_TLS_CA_FILE");
  expect(check("https://billing:9000", billing)).not.toThrow();
  expect(check("http://billing:9000")).not.toThrow();
});
