/** The memory for pictures: its limits, and the turns of the accounts that wait for it. */
import { expect, test } from "vitest";
import {
  createBudget,
  type Reservation,
} from "../../../../services/generation/worker/steps/pictures.ts";

const never = new AbortController().signal;

/** Reserves in turn; `granted` has the names of those that got their memory, in that order. */
function reserving(limits: { total: number; perAccount: number }) {
  const reserve = createBudget(limits);
  const granted: string[] = [];
  const reservations = new Map<string, Reservation>();
  return {
    granted,
    reservations,
    reserve: async (name: string, bytes: number, signal = never) => {
      const [account = ""] = name;
      const reservation = reserve(account, bytes, signal).then((it) => {
        granted.push(name);
        reservations.set(name, it);
      });
      reservation.catch(() => undefined);
      await turn();
    },
    release: async (name: string) => {
      reservations.get(name)?.[Symbol.dispose]();
      await turn();
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("an account holds no more than its part, and others are served meanwhile", async () => {
  const { reserve, release, granted } = reserving({ total: 100, perAccount: 30 });
  for (const name of ["a1", "a2", "a3", "a4"]) await reserve(name, 15);
  await reserve("b1", 30);
  expect(granted).toEqual(["a1", "a2", "b1"]);
  await release("a1");
  expect(granted.at(-1)).toBe("a3");
});

test("all together hold no more than the whole, and who came first is served first", async () => {
  const { reserve, release, granted } = reserving({ total: 20, perAccount: 20 });
  for (const name of ["a1", "a2", "b1", "c1"]) await reserve(name, 20);
  for (const name of ["a1", "a2", "b1"]) await release(name);
  expect(granted).toEqual(["a1", "a2", "b1", "c1"]);
});

test("a large request keeps its turn before smaller ones of others", async () => {
  const { reserve, release, granted } = reserving({ total: 30, perAccount: 30 });
  await reserve("a1", 20);
  await reserve("b1", 30);
  await reserve("c1", 10);
  expect(granted).toEqual(["a1"]);
  await release("a1");
  await release("b1");
  expect(granted).toEqual(["a1", "b1", "c1"]);
});

test("what is shrunk is free for others, and what is given up is not waited for", async () => {
  const { reserve, reservations, granted } = reserving({ total: 30, perAccount: 30 });
  await reserve("a1", 30);
  const stop = new AbortController();
  await reserve("b1", 30, stop.signal);
  await reserve("c1", 20);
  reservations.get("a1")?.shrinkTo(10);
  await turn();
  expect(granted).toEqual(["a1"]);
  stop.abort(new Error("stopped"));
  await turn();
  expect(granted).toEqual(["a1", "c1"]);
});

test("a request beyond an account's part is served with the whole of it", async () => {
  const { reserve, granted } = reserving({ total: 30, perAccount: 20 });
  await reserve("a1", 50);
  expect(granted).toEqual(["a1"]);
});
