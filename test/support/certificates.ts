/** A certificate authority and certificates that it has signed, as PEM files, made by OpenSSL. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export type Certificate = { certFile: string; keyFile: string };

export type Authority = ReturnType<typeof createAuthority>;

/** Writes its files to `directory`, which exists. */
export function createAuthority(directory: string) {
  const path = (name: string) => join(directory, name);
  const [caFile, caKey] = [path("ca.pem"), path("ca.key")];
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", "-x509", ...newKey, "-keyout", caKey, "-out", caFile, "-subj", "/CN=Test CA");
  return {
    caFile,
    /** For 127.0.0.1 and localhost unless `hosts` says otherwise, valid for servers and clients, for 30 days. */
    issue(name: string, { hosts = "IP:127.0.0.1, DNS:localhost", days = 30 } = {}): Certificate {
      const [certFile, keyFile] = [path(`${name}.pem`), path(`${name}.key`)];
      const [request, extensions] = [path(`${name}.csr`), path(`${name}.ext`)];
      writeFileSync(extensions, `subjectAltName = ${hosts}\n`);
      openssl("req", ...newKey, "-keyout", keyFile, "-out", request, "-subj", `/CN=${name}`);
      const authority = ["-CA", caFile, "-CAkey", caKey, "-CAcreateserial"];
      const signer = [...authority, "-extfile", extensions, "-days", String(days)];
      openssl("x509", "-req", "-in", request, ...signer, "-out", certFile);
      return { certFile, keyFile };
    },
  };
}

function openssl(...args: string[]): void {
  execFileSync("openssl", args, { stdio: "ignore" });
}
