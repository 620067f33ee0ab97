/** What must be true of a routes file beyond its shape. */
import type { UpstreamEntry, UpstreamsFile } from "./upstreams-file.ts";

/** The route of test mode, which no file has. */
const SIMULATOR = "simulator";
const ON_THIS_MACHINE = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** Every fault, in words for the operator; `before` is the file in force, whose names must all stay. */
export function upstreamsFaults(
  file: UpstreamsFile,
  before: UpstreamsFile | undefined,
  providers: readonly string[],
): string[] {
  const routes = entriesOf(file);
  const names = routes.map(({ name }) => name);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [
    ...[...repeated].map((name) => `route ${name} stands twice`),
    ...routes.flatMap((route) =>
      routeFaults(route, file, providers).map((fault) => `route ${route.name}: ${fault}`),
    ),
    ...(before ? entriesOf(before).flatMap((old) => changeFaults(old, routes)) : []),
  ];
}

/** All routes of a file, in its order. */
function entriesOf(file: UpstreamsFile): UpstreamEntry[] {
  return Object.values(file.models).flat();
}

function routeFaults(
  route: UpstreamEntry,
  file: UpstreamsFile,
  providers: readonly string[],
): string[] {
  const faults: string[] = [];
  if (!providers.includes(route.provider)) {
    faults.push(`there is no provider "${route.provider}"; there are ${providers.join(", ")}`);
  }
  if (!Object.hasOwn(file.credentials, route.credential)) {
    faults.push(`its credential "${route.credential}" does not stand under credentials`);
  }
  if (route.name === SIMULATOR || route.credential === SIMULATOR) {
    faults.push(`the name "${SIMULATOR}" is taken`);
  }
  if (route.base_url !== undefined && !isSafeBase(route.base_url)) {
    faults.push(`base_url must be an https URL without user, query or fragment`);
  }
  return faults;
}

/** Keys travel there: in the clear they may not leave this machine. */
function isSafeBase(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, search, hash } = new URL(text);
  if (username !== "" || search !== "" || hash !== "") return false;
  return protocol === "https:" || (protocol === "http:" && ON_THIS_MACHINE.has(hostname));
}

/** A task stores its route's name and goes on by it: it has to keep meaning the same upstream account. */
function changeFaults(old: UpstreamEntry, routes: readonly UpstreamEntry[]): string[] {
  const now = routes.find(({ name }) => name === old.name);
  if (!now) return [`route ${old.name} may not be dropped; retire it with "disabled": true`];
  const isMoved = now.provider !== old.provider || now.credential !== old.credential;
  return isMoved
    ? [`route ${old.name} may not change its provider or credential; add a route of another name`]
    : [];
}
