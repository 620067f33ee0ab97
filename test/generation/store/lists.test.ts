/** What lists of generations read, once Postgres knows the table. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { NO_LIMITS } from "#runtime/postgres/limits.ts";
import {
  listGenerations,
  searchGenerations,
} from "../../../services/generation/store/generations.ts";
import { listTasks } from "../../../services/generation/store/tasks.ts";
import { openPool } from "../../support/database.ts";
import { insertTasks } from "../../support/insert-tasks.ts";
import { rowsRead } from "../../support/rows-read.ts";
import { useHarness } from "../fixture.ts";

const TABLE = "generation.generations";
const ROWS = 20_000;
const MODELS = "alpha-2.0 beta-3.0-video alpha-2.0-mini gamma-2.5 delta-1.0 delta-1.5".split(" ");
const RUNNING = 10;
const PROMPTS = 10;
const START = new Date("2026-01-01T00:00:00Z");
const [accountId, searcher] = [randomId("acct"), randomId("acct")];
const none = {
  model: undefined,
  createdAfter: undefined,
  createdBefore: undefined,
  after: undefined,
};
const h = useHarness({ tokens: 0n });
/** Where Postgres keeps long prompts. */
let outside: string;

beforeAll(async () => {
  // Inserts thousands of rows in one statement, on a slow machine too.
  await using owner = openPool(h.urls.generation.ownerUrl, 1, NO_LIMITS);
  // A tenth of the models' rows each; the oldest run; one in a thousand is for an end user.
  await owner`
    insert into generation.generations (account_id, id, kind, mode, model, input, defaulted, tokens, attempt, status,
      created_at, completed_at)
    select ${accountId}, 'vgen_' || lpad(n::text, 26, '0'), 'video', 'live',
      (${MODELS}::text[])[1 + n % ${MODELS.length}::int],
      case when n % 1000 = 0 then '{"prompt":"a cat","end_user":"customer-1"}' else '{"prompt":"a cat"}' end::jsonb, '{}', 1, 1,
      case when n <= ${RUNNING}::int then 'processing' else 'success' end,
      ${START}::timestamptz + n * interval '1 s', case when n > ${RUNNING}::int then ${START}::timestamptz end
    from generate_series(1, ${ROWS}::int) n`;
  await insertTasks(h.sql, "poll");
  await owner`vacuum analyze generation.generations`;
  // The searcher's have long prompts; the oldest has none.
  await owner`
    insert into generation.generations (account_id, id, kind, mode, model, input, defaulted, tokens, attempt,
      status, created_at, completed_at)
    select ${searcher}, 'vgen_' || lpad(n::text, 26, '0'), 'video', 'live', 'alpha-2.0',
      case when n = 0 then '{}' else jsonb_build_object('prompt',
        (select string_agg(md5(n || '-' || i), ' ') from generate_series(1, 150) i)) end, '{}', 1, 1,
      'success', ${START}::timestamptz + n * interval '1 s', ${START}
    from generate_series(0, ${PROMPTS}::int) n`;
  const [table] = await owner<{ oid: string }[]>`
    select reltoastrelid::text as oid from pg_class where oid = ${TABLE}::regclass`;
  outside = table?.oid ?? "";
});

describe("a rare status of a common model", () => {
  const read = (status: "processing" | "success", model: string | undefined) => {
    const list = { ...none, accountId, mode: "live", kind: "video" } as const;
    const page = { ...list, status, model, limit: 20 };
    return rowsRead(h.sql, TABLE, (tx) => listGenerations(tx, page));
  };

  it("is found without reading the model's other rows", async () => {
    expect(await read("processing", MODELS[0])).toBeLessThanOrEqual(RUNNING);
  });

  it("costs no more where the status is the common one", async () => {
    expect(await read("success", MODELS[0])).toBeLessThanOrEqual(40);
    expect(await read("success", undefined)).toBeLessThanOrEqual(40);
  });
});

it("the unfinished tasks of all accounts are found without reading the others", async () => {
  for (const status of ["processing", undefined] as const) {
    const filter = { accountId: undefined, status, model: undefined, limit: 20 };
    const read = rowsRead(h.sql, TABLE, (tx) =>
      listTasks(tx, { ...filter, createdAfter: new Date(0) }),
    );
    expect(await read).toBeLessThanOrEqual(RUNNING);
  }
});

describe("a search by words", () => {
  const search = async (filter: object) => {
    const request = { accountId, mode: Mode.LIVE, limit: 10, ...filter };
    const { generations, nextAfter, searchedBackTo } = await h.client.searchGenerations(request);
    return { ids: generations.map(({ id }) => id), nextAfter, searchedBackTo };
  };

  it("may be among those of an end user", async () => {
    const { ids, nextAfter } = await search({ words: "cat", endUser: "customer-1" });
    const numbers = ids.map((id) => Number(id.slice(5)));
    expect(numbers).toEqual(Array.from({ length: 10 }, (_, n) => ROWS - n * 1_000));
    expect(nextAfter).toBe(ids.at(-1));
  });

  it.each([{ words: "dog" }, { keyId: randomId("key") }])(
    "looks at two thousand generations, and says where it stopped: %o",
    async (filter) => {
      const last = ROWS - 2_000 + 1;
      expect(await search(filter)).toEqual({
        ids: [],
        nextAfter: `vgen_${String(last).padStart(26, "0")}`,
        searchedBackTo: timestampFromDate(addMs(START, last * 1_000)),
      });
    },
  );

  const read = async (words: readonly string[]) => {
    const search = { ...none, accountId: searcher, mode: "live", status: undefined } as const;
    const page = { kinds: ["video"], limit: PROMPTS + 1, maxLookedAt: PROMPTS + 1 } as const;
    let found = 0;
    const parts = await rowsRead(h.sql, outside, async (tx) => {
      const query = { ...search, ...page, keyId: undefined, words };
      found = (await searchGenerations(tx, query)).rows.length;
    });
    return { found, parts };
  };

  it("finds no generation without a prompt", async () => {
    expect((await read(["a"])).found).toBe(PROMPTS);
  });

  it("reads each prompt once, however many words it must contain", async () => {
    const one = await read(["a"]);
    expect(one.parts).toBeGreaterThan(PROMPTS);
    expect(await read("0 1 2 3 4 5 6 7 8 9 a b c d e f".split(" "))).toEqual(one);
  });
});
