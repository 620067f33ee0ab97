/** Paginated lists, read item by item or page by page; each page is fetched when it is reached. */
import type { ApiPromise, Result } from "./api-promise.ts";

export type Page<T> = {
  data: T[];
  has_more: boolean;
};

/** `for await` over a page reads its items, and then those of the pages after it. */
export type ListedPage<T> = Page<T> &
  AsyncIterable<T> & {
    /** Given as `after`, it lists what follows this page, also later and in another process. Absent on the last page. */
    readonly nextCursor: string | undefined;
  };

/** `for await` over the listing reads every item, over its `pages()` every page, newest first; awaited it is the first page. */
export type Listing<T> = AsyncIterable<T> &
  Pick<Promise<Result<ListedPage<T>>>, "then" | "catch" | "finally"> & {
    pages: () => AsyncIterable<Result<ListedPage<T>>>;
  };

/** `fetchPage` resolves with the page after the item whose id is `after`, without it with the first that was asked for. */
export function listing<T extends { id: string }>(
  fetchPage: (after: string | undefined) => ApiPromise<Page<T>>,
): Listing<T> {
  async function* pages(first?: string): AsyncGenerator<Result<ListedPage<T>>> {
    let after = first;
    do {
      const page = await fetchPage(after);
      after = page.has_more ? page.data.at(-1)?.id : undefined;
      yield withItems(Object.assign(page, { nextCursor: after }));
    } while (after !== undefined);
  }
  async function* itemsFrom(page: Page<T> & { nextCursor: string | undefined }) {
    yield* page.data;
    if (page.nextCursor === undefined) return;
    for await (const { data } of pages(page.nextCursor)) yield* data;
  }
  const withItems = <P extends Parameters<typeof itemsFrom>[0]>(page: P): P & AsyncIterable<T> =>
    // Not enumerable, as `lastResponse` is not: pages are compared and serialised.
    Object.defineProperty(page, Symbol.asyncIterator, {
      value: () => itemsFrom(page),
    }) as P & AsyncIterable<T>;
  let first: Promise<Result<ListedPage<T>>> | undefined;
  // Not before it is awaited: a list that is only iterated must not read a page twice.
  const firstPage = () =>
    (first ??= pages()
      .next()
      .then(({ value }) => value as Result<ListedPage<T>>));
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- it can be awaited
    then: (onFulfilled, onRejected) => firstPage().then(onFulfilled, onRejected),
    catch: (onRejected) => firstPage().catch(onRejected),
    finally: (onFinally) => firstPage().finally(onFinally),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data;
    },
  };
}
