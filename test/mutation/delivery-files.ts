/** The guards of downloads, outputs and requests to the outside, and the tests that need them. */
import { storedFiles } from "./delivery-stored-files.ts";
import type { Mutation } from "./mutation.ts";

const FETCH_SOURCE = "services/delivery/download/fetch-source.ts";
const FETCH_PICTURE = "services/delivery/download/fetch-picture.ts";
const PICTURE = "services/delivery/media/picture.ts";
const OPEN_DOWNLOAD = "services/delivery/download/open-download.ts";
const ASSETS = "services/delivery/store/assets.ts";
const ASSET_DELETIONS = "services/delivery/store/asset-deletions.ts";
const ASSET_TOKENS = "services/delivery/store/asset-tokens.ts";
const GUARDED_AGENT = "services/delivery/egress/guarded-agent.ts";
const EXCHANGE = "services/delivery/egress/http-exchange.ts";
const REQUEST = "services/delivery/egress/request.ts";
const COPY = "services/delivery/copy/copy-output.ts";
const THUMBNAIL_MAKER = "services/delivery/copy/thumbnail-maker.ts";
const THUMBNAIL_MAKER_TEST = "test/delivery/copy/thumbnail-maker.test.ts";
const CONFINEMENT = "services/delivery/media/confinement.ts";
const DECODER_PROCESS = "services/delivery/media/decoder-process.ts";
const SCALED_FRAMES = "services/delivery/media/scaled-frames.ts";
const FFMPEG_FRAMES = "services/delivery/media/ffmpeg-frames.ts";
const STORE_OUTPUT = "services/delivery/rpc/store-output.ts";

const CONFINEMENT_TEST = "test/delivery/media/confinement.test.ts";
const SOURCE_TEST = "test/delivery/download/fetch-source.test.ts";
const PICTURE_TEST = "test/delivery/download/fetch-input.test.ts";
const STORE_TEST = "test/delivery/copy/store-output.test.ts";
const ASSET_DELETION_TEST = "test/delivery/maintenance/maintenance.test.ts";
const EGRESS_TEST = "test/delivery/egress/request.test.ts";
const HOST_RESOLVER_TEST = "test/delivery/egress/host-resolver.test.ts";

const downloads: readonly Mutation[] = [
  {
    guard: "a download is capped while it is read",
    file: FETCH_SOURCE,
    old: "if (bytes > maxBytes) throw",
    new: "if (false) throw",
    test: SOURCE_TEST,
  },
  {
    guard: "a download that announces too much is not read",
    file: FETCH_SOURCE,
    old: "if ((announcedBytes ?? 0) > maxBytes)",
    new: "if (false)",
    test: SOURCE_TEST,
  },
  {
    guard: "the announced length of a download is read from its headers",
    file: OPEN_DOWNLOAD,
    old: "Number.isSafeInteger(bytes) ? bytes : undefined",
    new: "undefined",
    test: SOURCE_TEST,
  },
  {
    guard: "a picture is capped while it is read",
    file: FETCH_PICTURE,
    old: "if (bytes > maxBytes) return undefined;",
    new: "",
    test: PICTURE_TEST,
  },
  {
    guard: "a picture that announces too much is not read",
    file: FETCH_PICTURE,
    old: "announcedBytes > limits.maxBytes ? undefined : ",
    new: "",
    test: PICTURE_TEST,
  },
  {
    guard: "a picture's pixels are limited",
    file: PICTURE,
    old: "pixels === 0 || pixels > maxPixels",
    new: "pixels === 0",
    test: PICTURE_TEST,
  },
  {
    guard: "a picture's redirects are checked before they are followed",
    file: OPEN_DOWNLOAD,
    old: "if (url && !(download.mayFetch?.(url) ?? true)) {",
    new: "if (false) {",
    test: PICTURE_TEST,
  },
  {
    guard: "a source's headers go to its own origin only",
    file: OPEN_DOWNLOAD,
    old: "...(isOwn ? download.headers : {})",
    new: "...download.headers",
    test: SOURCE_TEST,
  },
  {
    guard: "only the configured origin itself may have a private address",
    file: OPEN_DOWNLOAD,
    old: "isOwn && download.isConfiguredOrigin ? direct : guarded",
    new: "download.isConfiguredOrigin ? direct : guarded",
    test: SOURCE_TEST,
  },
];

const media: readonly Mutation[] = [
  {
    guard: "the process that reads foreign videos has no network",
    file: CONFINEMENT,
    old: "[...LIMITS, withoutNetwork, ",
    new: "[...LIMITS, ",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "the decoder's memory is limited",
    file: CONFINEMENT,
    old: "`ulimit -d ${MEMORY_KIB}`,",
    new: "",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "the decoder's processor time is limited",
    file: CONFINEMENT,
    old: "`ulimit -t ${CPU_SECONDS}`,",
    new: "",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "the decoder has no environment",
    file: CONFINEMENT,
    old: "env: {},",
    new: "env: process.env,",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "the decoder has a user of its own",
    file: DECODER_PROCESS,
    old: "if (user !== undefined) becomeUser",
    new: "if (false) becomeUser",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "the decoder keeps no group of root",
    file: CONFINEMENT,
    old: "process.setgroups?.([id]);",
    new: "",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "the decoder ends with the service",
    file: DECODER_PROCESS,
    old: 'process.kill(process.pid, "SIGKILL");',
    new: "",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "frames that are too large are not decoded",
    file: SCALED_FRAMES,
    old: "if (width * height > MAX_FRAME_PIXELS)",
    new: "if (false)",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "ffmpeg decodes no frames that are too large",
    file: FFMPEG_FRAMES,
    old: " -max_pixels ${MAX_FRAME_PIXELS}",
    new: "",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "ffmpeg ends with the process that started it",
    file: FFMPEG_FRAMES,
    old: '"--pdeathsig", "KILL", ',
    new: "",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "a thumbnail is tried after the copy is recorded",
    file: COPY,
    old: "  const recorded = await",
    new: "  await deps.decoder.thumbnail(file.path);\n  const recorded = await",
    test: STORE_TEST,
  },
  {
    guard: "a thumbnail of a deleted output is not recorded",
    file: ASSETS,
    old: "\n      and delete_at is null\n    returning 1",
    new: "\n    returning 1",
    test: STORE_TEST,
  },
  {
    guard: "an image that cannot be decoded is not tried again soon",
    file: THUMBNAIL_MAKER,
    old: "tried.set(key, tries);",
    new: "",
    test: THUMBNAIL_MAKER_TEST,
  },
  {
    guard: "a decode that did not end is not taken for an image that cannot be decoded",
    file: THUMBNAIL_MAKER,
    old: 'return picture === "unfinished" ? "later" : "absent";',
    new: 'return "absent";',
    test: THUMBNAIL_MAKER_TEST,
  },
  {
    guard: "those who ask for a thumbnail at the same time share one decode",
    file: THUMBNAIL_MAKER,
    old: "    if (joined) return joined;",
    new: "",
    test: THUMBNAIL_MAKER_TEST,
  },
  {
    guard: "a thumbnail that is not recorded is deleted",
    file: "services/delivery/copy/store-thumbnail.ts",
    old: "  await store.delete(thumbnailKey);\n",
    new: "",
    test: STORE_TEST,
  },
];

const outputs: readonly Mutation[] = [
  {
    guard: "outputs are read by account",
    file: ASSETS,
    old: "where account_id = ${accountId} and owner_id = ${generationId} and stored_at is not null",
    new: "where owner_id = ${generationId} and stored_at is not null",
    test: STORE_TEST,
  },
  {
    guard: "only the copy that holds the reserved token records an output",
    file: ASSETS,
    old: "and token = ${asset.token} and discarded_at is null",
    new: "and discarded_at is null",
    test: ASSET_DELETION_TEST,
  },
  {
    guard: "a copy that records while its generation is discarded leaves nothing",
    file: ASSETS,
    old: " and discarded_at is null\n      and not exists",
    new: "\n      and not exists",
    test: ASSET_DELETION_TEST,
  },
  {
    guard: "a copy that begins while its generation is discarded stores nothing",
    file: ASSETS,
    old: "        where asset.discarded_at is null\n",
    new: "",
    test: ASSET_DELETION_TEST,
  },
  {
    guard: "the token of a stored output is never replaced",
    file: ASSET_TOKENS,
    old: "where token = ${token} and stored_at is null",
    new: "where token = ${token}",
    test: ASSET_DELETION_TEST,
  },
  {
    guard: "a deletion takes the outputs of one account only",
    file: ASSET_DELETIONS,
    old: "set delete_at = ${at}\n      where account_id = ${accountId} and owner_id",
    new: "set delete_at = ${at}\n      where owner_id",
    test: ASSET_DELETION_TEST,
  },
  {
    guard: "two workers never claim the same deletion",
    file: ASSET_DELETIONS,
    old: "order by delete_at limit ${limit}\n      for update skip locked",
    new: "order by delete_at limit ${limit}",
    test: ASSET_DELETION_TEST,
  },
  {
    guard: "a copy that cannot be recorded deletes its objects",
    file: COPY,
    old: "    await deps.store.delete(key);\n",
    new: "",
    test: STORE_TEST,
  },
  {
    guard: "a copy that failed is not waited for",
    file: STORE_OUTPUT,
    old: "if (failed.length > 0)",
    new: "if (false)",
    test: STORE_TEST,
  },
];

const egress: readonly Mutation[] = [
  {
    guard: "a private literal address is refused before the dial",
    file: GUARDED_AGENT,
    old: "if (!checkUrl(originOf(target), allow, { plainHttp }).ok) {",
    new: "if (false) {",
    test: EGRESS_TEST,
  },
  {
    guard: "a private address among those of a name is refused",
    file: GUARDED_AGENT,
    old: "if (!found.every(({ address }) => mayReach(address))) throw new BlockedAddressError();",
    new: "",
    test: EGRESS_TEST,
  },
  {
    guard: "the connected socket's address is checked",
    file: GUARDED_AGENT,
    old: "if (mayReach(remoteOf(socket))) return",
    new: "if (true) return",
    test: EGRESS_TEST,
  },
  {
    guard: "hosts are not looked up in the threads of file calls",
    file: GUARDED_AGENT,
    old: "resolve = hostResolver(),",
    new: "resolve = async (name: string) => (await import('node:dns/promises')).lookup(name, { all: true }),",
    test: HOST_RESOLVER_TEST,
  },
  {
    guard: "no redirect is followed",
    file: EXCHANGE,
    old: "const response = request(url, { ...options, signal,",
    new: `const { interceptors } = await import("undici");
    const redirect = interceptors.redirect({ maxRedirections: 3 });
    const response = request(url, { ...options, dispatcher: options.dispatcher.compose(redirect), signal,`,
    test: EGRESS_TEST,
  },
  {
    guard: "a request has a total deadline",
    file: REQUEST,
    old: "using limit = deadline(deadlineMs);",
    new: "using limit = deadline(2_147_483_647);",
    test: EGRESS_TEST,
  },
  {
    guard: "an answer is read up to a cap",
    file: REQUEST,
    old: "if (bytes < maxBytes) return;",
    new: "if (bytes >= 0) return;",
    test: EGRESS_TEST,
  },
];

export const deliveryFiles: readonly Mutation[] = [
  ...storedFiles,
  ...downloads,
  ...media,
  ...outputs,
  ...egress,
];
