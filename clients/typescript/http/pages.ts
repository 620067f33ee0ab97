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
      const listed = Object.assign(page, { nextCursor: after });
      // Not enumerable, as `lastResponse` is not: pages are compared and serialised.
      yield Object.defineProperty(listed, Symbol.asyncIterator, {
        async *value() {
          yield* page.data;
          if (listed.nextCursor !== undefined) yield* items(listed.nextCursor);
        },
      }) as Result<ListedPage<T>>;
    } while (after !== undefined);
  }
  async function* items(first?: string) {
    for await (const { data } of pages(first)) yield* data;
  }
  let first: Promise<IteratorResult<Result<ListedPage<T>>>> | undefined;
  // Not before it is awaited: a list that is only iterated must not read a page twice.
  const firstPage = async () => (await (first ??= pages().next())).value as Result<ListedPage<T>>;
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- it can be awaited
    then: (onFulfilled, onRejected) => firstPage().then(onFulfilled, onRejected),
    catch: (onRejected) => firstPage().catch(onRejected),
    finally: (onFinally) => firstPage().finally(onFinally),
    pages,
    [Symbol.asyncIterator]: () => items(),
  };
}
