/** Paginated lists, read item by item or page by page; each page is fetched when it is reached. */
import type { ApiPromise, Result } from "./api-promise.ts";

export type Page<T> = {
  data: T[];
  has_more: boolean;
};

export type ListedPage<T> = Page<T> & {
  /** Given as `after`, it lists what follows this page, also later and in another process. Absent on the last page. */
  readonly nextCursor: string | undefined;
};

/**
 * `for await (const item of listing)` reads every item, `listing.pages()` every page, newest first; `await listing` is the
 * first page.
 */
export type Listing<T> = AsyncIterable<T> &
  Pick<Promise<Result<ListedPage<T>>>, "then" | "catch" | "finally"> & {
    pages: () => AsyncIterable<Result<ListedPage<T>>>;
  };

/** `fetchPage` resolves with the page after the item whose id is `after`, without it with the first that was asked for. */
export function listing<T extends { id: string }>(
  fetchPage: (after: string | undefined) => ApiPromise<Page<T>>,
): Listing<T> {
  async function* pages(): AsyncGenerator<Result<ListedPage<T>>> {
    let after: string | undefined;
    do {
      const page = await fetchPage(after);
      after = page.has_more ? page.data.at(-1)?.id : undefined;
      yield Object.assign(page, { nextCursor: after });
    } while (after !== undefined);
  }
  let first: Promise<Result<ListedPage<T>>> | undefined;
  // Not before it is awaited: a list that is only iterated must not read a page twice.
  const firstPage = () => (first ??= firstOf(pages()));
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

async function firstOf<T>(pages: AsyncGenerator<T>): Promise<T> {
  // The first page exists always, be it empty.
  const { value } = (await pages.next()) as IteratorYieldResult<T>;
  return value;
}

/** The query of the page after the item whose id is `after`, without it after that of the filter. */
export function pageQuery<T extends object>(
  filter: T | undefined,
  after: string | undefined,
): T & { after?: string } {
  return { ...filter, ...(after === undefined ? {} : { after }) } as T & { after?: string };
}
