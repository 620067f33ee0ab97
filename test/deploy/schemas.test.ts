/** compose.yaml and what the chart renders are what Compose and Kubernetes accept. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { parse, parseAllDocuments } from "yaml";
import { locateDeployTools } from "../../scripts/test-tools.mjs";
import { MIGRATION_LOCK_MS } from "#runtime/postgres/migrate.ts";
import { SERVICES } from "#runtime/service/service.ts";

const found = locateDeployTools();
const { helm, modules } = found ?? { helm: "", modules: "" };
const DEPLOY = fileURLToPath(new URL("../../deploy", import.meta.url));
const run = promisify(execFile);

type Manifest = { apiVersion: string; kind: string; metadata: { name: string } };
type Model = new (manifest: Manifest) => { validate: () => void };

/** Throws where the manifest is not one of its kind. */
async function validate(manifest: Manifest): Promise<void> {
  const { apiVersion, kind } = manifest;
  const models = apiVersion.startsWith("monitoring.coreos.com/")
    ? "@kubernetes-models/prometheus-operator"
    : "kubernetes-models";
  const file = join(modules, models, apiVersion, `${kind}.js`);
  const exports = (await import(pathToFileURL(file).href)) as Record<string, Model>;
  const model = exports[kind];
  if (model === undefined) throw new Error(`${apiVersion} has no ${kind}`);
  new model(manifest).validate();
}

const rendered = new Map<string, Promise<Manifest[]>>();

/** What the chart comes to with these options; each manifest has the form of its kind. */
function render(...options: string[]): Promise<Manifest[]> {
  const make = async () => {
    const { stdout } = await run(helm, ["template", "media", join(DEPLOY, "helm"), ...options]);
    const manifests = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
    for (const manifest of manifests) await validate(manifest);
    return manifests;
  };
  const known = rendered.get(options.join(" ")) ?? make();
  rendered.set(options.join(" "), known);
  return known;
}

const DIGEST = `sha256:${"0".repeat(64)}`;

/** The chart with all that its values offer. */
const renderAll = () =>
  render(
    ...[
      "scrape=podMonitors",
      "rpcTls=media-tls",
      "deliveryEgress[0].ipBlock.cidr=10.9.8.7/32",
      `image.digest=${DIGEST}`,
    ].flatMap((value) => ["--set", value]),
  );

const ofKind = <T = { spec: unknown }>(manifests: Manifest[], kind: string) =>
  manifests.filter((one) => one.kind === kind) as unknown as (Manifest & T)[];

describe.skipIf(!found)("where scripts/test-tools.mjs could install the tools", () => {
  it("compose.yaml has the form that Compose specifies", async () => {
    const schema = await readFile(join(modules, "dclint/schemas/compose.schema.json"), "utf8");
    // The schema names its draft by an address that Ajv does not know.
    const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
    formats.default(ajv);
    const isValid = ajv.compile(JSON.parse(schema));
    const compose = parse(await readFile(join(DEPLOY, "compose.yaml"), "utf8"), { merge: true });
    isValid(compose);
    expect(isValid.errors).toBeNull();
    expect(isValid({ ...compose, services: { one: { imagee: "a" } } })).toBe(false);
  });

  it("every manifest of the chart has the form of its kind", async () => {
    const manifests = await render();
    expect(manifests.length).toBeGreaterThan(30);
    const [deployment] = manifests.filter(({ kind }) => kind === "Deployment") as [Manifest];
    const wrong = { ...deployment, spec: { replicas: "two" } };
    await expect(validate(wrong)).rejects.toThrow("replicas");
  });

  it("a chart with rpcTls gives each service its certificate, and probes that need none", async () => {
    for (const { metadata, spec } of ofKind(await renderAll(), "Deployment")) {
      if (metadata.name === "simulator") continue;
      const text = JSON.stringify(spec);
      expect(text).toContain(`"RPC_TLS_CERT_FILE","value":"/tls/${metadata.name}.pem"`);
      expect(text).toContain('"secretName":"media-tls"');
      expect(text).not.toMatch(/"(?:grpc|httpGet)":/);
    }
  });

  it("a chart with deliveryEgress lets delivery connect to nothing private but what it names", async () => {
    const manifests = await renderAll();
    const policy = manifests.find(({ metadata }) => metadata.name === "media-delivery-egress");
    expect(policy).toMatchObject({
      spec: {
        podSelector: { matchLabels: { "app.kubernetes.io/name": "delivery" } },
        policyTypes: ["Egress"],
        egress: expect.arrayContaining([{ to: [{ ipBlock: { cidr: "10.9.8.7/32" } }] }]),
      },
    });
  });

  it("callers of the chart's services find replicas that are not ready, which answer 503 themselves", async () => {
    const manifests = await render();
    const services = ofKind<{ spec: { clusterIP?: string } }>(manifests, "Service");
    const headless = services.filter(({ spec }) => spec.clusterIP === "None");
    expect(headless.map(({ metadata }) => metadata.name).toSorted()).toEqual(SERVICES.toSorted());
    for (const one of headless) expect(one.spec).toMatchObject({ publishNotReadyAddresses: true });
    const budgets = ofKind<{ spec: object }>(manifests, "PodDisruptionBudget");
    expect(budgets).toHaveLength(5);
    for (const { spec } of budgets) {
      expect(spec).toMatchObject({ unhealthyPodEvictionPolicy: "AlwaysAllow" });
    }
  });

  it("a changed environment replaces the pods that have it, and no others", async () => {
    const sums = async (...options: string[]) => {
      const pods = ofKind<{ spec: { template: { metadata: { annotations?: object } } } }>(
        await render(...options),
        "Deployment",
      );
      return new Map(
        pods.map(({ metadata, spec }) => [
          metadata.name,
          JSON.stringify(spec.template.metadata.annotations),
        ]),
      );
    };
    const before = await sums();
    const after = await sums("--set", "services.billing.environment.LOG_LEVEL=debug");
    const changed = [...before].filter(([name, sum]) => after.get(name) !== sum);
    expect(changed.map(([name]) => name)).toEqual(["billing"]);
  });

  it("every pod of the chart has limits of memory and of /tmp, and no migration runs for ever", async () => {
    type Pod = {
      containers: { resources?: { limits?: { memory?: string } } }[];
      volumes: { name: string; emptyDir?: { sizeLimit?: string } }[];
    };
    type Template = { template: { spec: Pod } };
    const manifests = await render();
    const jobs = ofKind<{ spec: Template & { activeDeadlineSeconds: number } }>(manifests, "Job");
    const crons = ofKind<{ spec: { jobTemplate: { spec: Template } } }>(manifests, "CronJob");
    const pods = [
      ...ofKind<{ spec: Template }>(manifests, "Deployment").map(({ spec }) => spec),
      ...jobs.map(({ spec }) => spec),
      ...crons.map(({ spec }) => spec.jobTemplate.spec),
    ].map(({ template }) => template.spec);
    expect(pods).toHaveLength(9);
    for (const { containers, volumes } of pods) {
      for (const { resources } of containers) expect(resources?.limits?.memory).toMatch(/^\d/);
      const temporary = volumes.find(({ name }) => name === "temporary");
      expect(temporary?.emptyDir?.sizeLimit).toMatch(/^\d/);
    }
    for (const { spec } of jobs)
      expect(spec.activeDeadlineSeconds * 1_000).toBeGreaterThan(MIGRATION_LOCK_MS);
  });

  it("only the operator's pods of the chart have the operator's key, and they compare and audit each night", async () => {
    const manifests = await render();
    const withKey = manifests.filter((one) => JSON.stringify(one).includes("media-operator"));
    expect(withKey.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()).toEqual([
      "CronJob audit",
      "CronJob reconcile",
      "Deployment ops",
    ]);
    const [config] = ofKind<{ data: Record<string, string> }>(manifests, "ConfigMap").filter(
      ({ metadata }) => metadata.name === "media-ops",
    );
    const endpoints = JSON.parse(config?.data["endpoints.json"] ?? "") as Record<string, unknown>;
    expect(endpoints["billing"]).toBe("http://billing:9000");
    expect(endpoints["replicas"]).toEqual(Object.fromEntries(SERVICES.map((name) => [name, 2])));
  });

  it("a chart with a digest runs that image everywhere", async () => {
    const text = JSON.stringify(await renderAll());
    const images = [...text.matchAll(/"image":"([^"]+)"/g)].map(([, image]) => image);
    expect(new Set(images)).toEqual(new Set([`media-generation-service@${DIGEST}`]));
  });
});
