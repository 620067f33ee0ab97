/** Checks the rules of an upstreams file that its JSON schema cannot express. */
import { PARAMETERS } from "../domain/parameters.ts";
import type { KnownProviders } from "./known-providers.ts";
import { SIMULATOR } from "./upstreams.ts";
import type { UpstreamEntry, UpstreamsFile } from "./upstreams-file.ts";

const LOOPBACK_HOSTS = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** Returns all faults as messages to the operator. */
export function upstreamsFaults(file: UpstreamsFile, knownProviders: KnownProviders): string[] {
  const upstreams = entriesOf(file);
  const names = upstreams.map(({ name }) => name);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [
    ...[...repeated].map((name) => `upstream ${name} is listed twice`),
    ...upstreams.flatMap((upstream) =>
      entryFaults(upstream, file, knownProviders).map(
        (fault) => `upstream ${upstream.name}: ${fault}`,
      ),
    ),
  ];
}

function entriesOf(file: UpstreamsFile): UpstreamEntry[] {
  return Object.values(file.models).flat();
}

function entryFaults(
  upstream: UpstreamEntry,
  file: UpstreamsFile,
  knownProviders: KnownProviders,
): string[] {
  const faults: string[] = [];
  const known = Object.hasOwn(knownProviders, upstream.provider)
    ? knownProviders[upstream.provider]
    : undefined;
  if (!known) {
    const providers = Object.keys(knownProviders).join(", ");
    faults.push(`unknown provider "${upstream.provider}"; the providers are ${providers}`);
  } else if (upstream.base_url === undefined && "baseUrlHint" in known) {
    faults.push(`base_url is missing; it is ${known.baseUrlHint}`);
  }
  for (const name of Object.keys(upstream.capabilities?.parameters ?? {})) {
    const isKnown = [...PARAMETERS.video, ...PARAMETERS.image].includes(name);
    if (!isKnown) faults.push(`its capabilities name the parameter "${name}", which there is not`);
  }
  if (!Object.hasOwn(file.credentials, upstream.credential)) {
    faults.push(`its credential "${upstream.credential}" is not listed under credentials`);
  }
  if (upstream.name === SIMULATOR || upstream.credential === SIMULATOR) {
    faults.push(`the name "${SIMULATOR}" is reserved`);
  }
  if (upstream.base_url !== undefined && !isSafeBase(upstream.base_url)) {
    faults.push(`base_url must be an https URL without user, query or fragment`);
  }
  return faults;
}

/** Keys are sent to the base URL, so plain http is allowed on this machine only. */
function isSafeBase(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, search, hash } = new URL(text);
  if (username !== "" || search !== "" || hash !== "") return false;
  return protocol === "https:" || (protocol === "http:" && LOOPBACK_HOSTS.has(hostname));
}
