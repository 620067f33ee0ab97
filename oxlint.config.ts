/** The rules of `oxlint`, and the order of folders: what an import may name, type imports and dynamic ones included. */
import { posix } from "node:path";
import { defineConfig, type OxlintOverride } from "oxlint";

type Part = {
  /** The other parts that it may use. */
  readonly use: readonly string[];
  /** From the bottom up: a folder imports only itself and folders before it. "." is the part's own folder. */
  readonly folders: string;
  /** Folders that never import one before them. */
  readonly never?: Readonly<Record<string, readonly string[]>>;
  /** Files outside the parts. */
  readonly more?: readonly string[];
};

const SERVICE = ["gen", "services/runtime", "services/vocabulary"];

const PARTS: Readonly<Record<string, Part>> = {
  scripts: { use: [], folders: "." },
  "services/runtime": {
    use: ["gen"],
    folders: ". tracing postgres metrics rpc events rpc/client rpc/server service",
  },
  "services/vocabulary": { use: ["gen", "services/runtime"], folders: "." },
  "services/gateway": {
    use: [...SERVICE, "clients/samples", "clients/typescript"],
    folders:
      "domain store accounts/mail accounts edge/validation edge/http edge/rate-limit edge/waiting " +
      "edge/operations edge/openai edge/mcp edge docs/files docs dashboard/session dashboard/money dashboard/members " +
      "dashboard/generations dashboard/sign-in dashboard rpc .",
  },
  "services/generation": {
    use: SERVICE,
    folders:
      "domain store providers providers/shared providers/vendors upstreams metrics catalog holds rpc worker/steps worker .",
    never: { "worker/steps": ["rpc"], worker: ["rpc"] },
  },
  "services/billing": { use: SERVICE, folders: "domain store rpc ." },
  "services/delivery": {
    use: SERVICE,
    folders:
      "domain store egress media/formats media storage asset-server metrics download copy webhook maintenance rpc .",
  },
  "services/simulator": { use: SERVICE, folders: "scene render ." },
  "services/ops": { use: SERVICE, folders: "setup status session commands ." },
  "services/standalone": {
    use: [
      ...SERVICE,
      "services/gateway",
      "services/generation",
      "services/billing",
      "services/delivery",
      "services/simulator",
      "services/ops",
      "scripts",
    ],
    folders: "settings data-folder embedded processes .",
  },
  "clients/samples": { use: [], folders: "." },
  "clients/typescript": {
    use: ["gen"],
    folders: "http operations . cli",
    more: ["../package.json"],
  },
  "clients/ai-sdk": { use: ["clients/typescript"], folders: "." },
  "clients/dashboard": { use: [], folders: "." },
  "clients/dashboard/src": {
    use: ["gen", "clients/samples", "clients/typescript"],
    folders:
      "api data components/form components session faults layout pages/overview pages/sign-in pages/account " +
      "pages/audit-log pages/billing pages/generations pages/keys pages/members pages/playground pages/profile " +
      "pages/requests pages/start pages/webhooks .",
  },
};

/** All that domain/ imports besides its own files: it is pure. */
const PURE = [
  "#gen/**",
  "#vocabulary/*",
  "#runtime/clock.ts",
  "#runtime/did-you-mean.ts",
  "#runtime/id.ts",
  "#runtime/retry-after.ts",
  "@bufbuild/protobuf",
  "@bufbuild/protobuf/wkt",
  "node:crypto",
  "node:util",
  "node:zlib",
];

const ENDS = "{ts,tsx,mts,mjs}";

/** Of the files in `path`: what `refused` names is an error, but for what `allowed` names. */
function imports(
  path: string,
  refused: string[],
  allowed: string[],
  message: string,
): OxlintOverride {
  const group = [...refused, ...allowed.map((each) => `!${each}`)];
  const rules: OxlintOverride["rules"] = {
    "no-restricted-imports": ["error", { patterns: [{ group, message }] }],
  };
  return { files: [path], rules };
}

const orders = Object.entries(PARTS).flatMap(([part, { use, folders, never = {}, more = [] }]) => {
  const order = folders.split(" ");
  return order.map((folder, place) => {
    const path = posix.join(part, folder);
    const files = `${path}/*.${ENDS}`;
    if (folder === "domain")
      return imports(
        files,
        ["*"],
        ["./*", ...PURE],
        `${path} is pure: see PURE in oxlint.config.ts`,
      );
    const below = order.slice(0, place + 1).filter((each) => !never[folder]?.includes(each));
    const to = (target: string, end: string) => {
      const way = posix.relative(path, target);
      return `${way === "" ? "." : way.startsWith(".") ? way : `./${way}`}/${end}`;
    };
    const allowed = [
      ...below.map((each) => to(posix.join(part, each), "*")),
      ...use.flatMap((each) => [to(each, "**"), `#${posix.basename(each)}/**`]),
      ...more,
    ];
    return imports(
      files,
      ["./**", "../**", "#*/**"],
      allowed,
      `${path} may not: see oxlint.config.ts`,
    );
  });
});

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "promise", "vitest", "node"],
  options: { typeAware: true },
  categories: { correctness: "error" },
  rules: {
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": [
      "error",
      { considerDefaultExhaustiveForUnions: true },
    ],
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/await-thenable": "error",
    "typescript/return-await": ["error", "in-try-catch"],
    "typescript/consistent-type-imports": "error",
    "import/no-cycle": ["error", { ignoreTypes: false }],
    eqeqeq: "error",
    "no-console": "error",
    "vitest/no-focused-tests": "error",
    "vitest/no-standalone-expect": [
      "error",
      { additionalTestBlockFunctions: ["it.runIf", "it.skipIf", "it.each", "describe.runIf"] },
    ],
    "vitest/no-disabled-tests": "error",
    "vitest/expect-expect": ["error", { assertFunctionNames: ["expect", "expect*"] }],
    "import/no-duplicates": ["error", { preferInline: true }],
  },
  ignorePatterns: [
    "gen/**",
    "clients/typescript/http/error-classes.ts",
    "clients/typescript/http/known-models.ts",
  ],
  overrides: [
    imports(
      `{scripts,services,clients}/**/*.${ENDS}`,
      ["*"],
      [],
      "Name this folder in oxlint.config.ts.",
    ),
    ...orders,
  ],
});
