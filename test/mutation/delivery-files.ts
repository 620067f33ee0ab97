/** The guards of downloads, outputs and requests to the outside, and the tests that need them. */
import { provenance } from "./delivery-provenance.ts";
import { storedFiles } from "./delivery-stored-files.ts";
import { guards, type Mutation } from "./mutation.ts";

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
const FIND_OUTPUT_TEST = "test/delivery/rpc/find-output.test.ts";
const ASSET_DELETION_TEST = "test/delivery/maintenance/maintenance.test.ts";
const EGRESS_TEST = "test/delivery/egress/request.test.ts";
const HOST_RESOLVER_TEST = "test/delivery/egress/host-resolver.test.ts";

const downloads: readonly Mutation[] = [
  ...guards(FETCH_SOURCE, SOURCE_TEST, {
    "a download is capped while it is read": ["if (bytes > maxBytes) throw", "if (false) throw"],
    "a download that announces too much is not read": ["(announcedBytes ?? 0) > maxBytes", "false"],
  }),
  ...guards(OPEN_DOWNLOAD, SOURCE_TEST, {
    "the announced length of a download is read from its headers":
      "Number.isSafeInteger(bytes) ? bytes :",
    "a source's headers go to its own origin only": [
      "...(isOwn ? download.headers : {})",
      "...download.headers",
    ],
    "only the configured origin itself may have a private address": [
      "isOwn && download.isConfiguredOrigin ? direct : guarded",
      "download.isConfiguredOrigin ? direct : guarded",
    ],
  }),
  ...guards(FETCH_PICTURE, PICTURE_TEST, {
    "a picture is capped while it is read": "if (bytes > maxBytes) return undefined;",
    "a picture that announces too much is not read":
      "announcedBytes > limits.maxBytes ? undefined :",
  }),
  ...guards(PICTURE, PICTURE_TEST, {
    "a picture's pixels are limited": "|| pixels > maxPixels",
  }),
  ...guards(OPEN_DOWNLOAD, PICTURE_TEST, {
    "a picture's redirects are checked before they are followed": [
      "if (url && !(download.mayFetch?.(url) ?? true)) {",
      "if (false) {",
    ],
  }),
];

const media: readonly Mutation[] = [
  ...guards(CONFINEMENT, CONFINEMENT_TEST, {
    "the process that reads foreign videos has no network": "withoutNetwork,",
    "the decoder's memory is limited": "`ulimit -d ${MEMORY_KIB}`,",
    "the decoder's processor time is limited": "`ulimit -t ${CPU_SECONDS}`,",
    "the decoder has no environment": ["env: {},", "env: process.env,"],
    "the decoder keeps no group of root": "process.setgroups?.([id]);",
  }),
  ...guards(DECODER_PROCESS, CONFINEMENT_TEST, {
    "the decoder has a user of its own": ["(user !== undefined) becomeUser", "(false) becomeUser"],
    "the decoder ends with the service": 'process.kill(process.pid, "SIGKILL");',
  }),
  ...guards(SCALED_FRAMES, CONFINEMENT_TEST, {
    "frames that are too large are not decoded": ["(width * height > MAX_FRAME_PIXELS)", "(false)"],
  }),
  ...guards(FFMPEG_FRAMES, CONFINEMENT_TEST, {
    "ffmpeg decodes no frames that are too large": "-max_pixels ${MAX_FRAME_PIXELS}",
    "ffmpeg ends with the process that started it": '"--pdeathsig", "KILL",',
  }),
  ...guards(COPY, STORE_TEST, {
    "a thumbnail is tried after the copy is recorded": [
      "const recorded = await",
      `await deps.decoder.thumbnail(file.path);
  const recorded = await`,
    ],
  }),
  ...guards(ASSETS, STORE_TEST, {
    "a thumbnail of a deleted output is not recorded": "and delete_at is null",
  }),
  ...guards(THUMBNAIL_MAKER, THUMBNAIL_MAKER_TEST, {
    "an image that cannot be decoded is not tried again soon": "tried.set(key, tries);",
    "a decode that did not end is not taken for an image that cannot be decoded":
      'picture === "unfinished" ? "later" :',
    "those who ask for a thumbnail at the same time share one decode": "if (joined) return joined;",
  }),
  ...guards("services/delivery/copy/store-thumbnail.ts", STORE_TEST, {
    "a thumbnail that is not recorded is deleted": "await store.delete(thumbnailKey);",
  }),
];

const outputs: readonly Mutation[] = [
  ...guards(ASSETS, FIND_OUTPUT_TEST, {
    "outputs are read by account": [
      "where account_id = ${accountId} and owner_id = ${generationId} and stored_at is not null",
      "where owner_id = ${generationId} and stored_at is not null",
    ],
    "what is missing is counted by account": [
      "where account_id = ${accountId} and owner_id = ${generationId} and stored_at is null",
      "where owner_id = ${generationId} and stored_at is null",
    ],
  }),
  ...guards(ASSETS, ASSET_DELETION_TEST, {
    "only the copy that holds the reserved token records an output": [
      "and token = ${asset.token} and discarded_at is null",
      "and discarded_at is null",
    ],
    "a copy that records while its generation is discarded leaves nothing":
      "and discarded_at is null",
    "a copy that begins while its generation is discarded stores nothing":
      "where asset.discarded_at is null",
  }),
  ...guards(ASSET_TOKENS, ASSET_DELETION_TEST, {
    "the token of a stored output is never replaced": "and stored_at is null",
  }),
  ...guards(ASSET_DELETIONS, ASSET_DELETION_TEST, {
    "a deletion takes the outputs of one account only": [
      `set delete_at = \${at}
      where account_id = \${accountId} and owner_id`,
      `set delete_at = \${at}
      where owner_id`,
    ],
    "two workers never claim the same deletion": [
      `order by delete_at limit \${limit}
      for update skip locked`,
      "order by delete_at limit ${limit}",
    ],
  }),
  ...guards(COPY, STORE_TEST, {
    "a copy that cannot be recorded deletes its objects": "await deps.store.delete(key);",
  }),
  ...guards(STORE_OUTPUT, STORE_TEST, {
    "a copy that failed is not waited for": ["if (failed.length > 0)", "if (false)"],
  }),
];

const egress: readonly Mutation[] = [
  ...guards(GUARDED_AGENT, EGRESS_TEST, {
    "a private literal address is refused before the dial": [
      "if (!checkUrl(originOf(target), allow, { plainHttp }).ok) {",
      "if (false) {",
    ],
    "a private address among those of a name is refused":
      "if (!found.every(({ address }) => mayReach(address))) throw new BlockedAddressError();",
    "the connected socket's address is checked": ["if (mayReach(remoteOf(socket)))", "if (true)"],
  }),
  ...guards(GUARDED_AGENT, HOST_RESOLVER_TEST, {
    "hosts are not looked up in the threads of file calls": [
      "resolve = hostResolver(),",
      "resolve = async (name: string) => (await import('node:dns/promises')).lookup(name, { all: true }),",
    ],
  }),
  ...guards(EXCHANGE, EGRESS_TEST, {
    "no redirect is followed": [
      "const response = request(url, { ...options, signal,",
      `const { interceptors } = await import("undici");
    const redirect = interceptors.redirect({ maxRedirections: 3 });
    const response = request(url, { ...options, dispatcher: options.dispatcher.compose(redirect), signal,`,
    ],
  }),
  ...guards(REQUEST, EGRESS_TEST, {
    "a request has a total deadline": ["= deadline(deadlineMs);", "= deadline(2_147_483_647);"],
    "an answer is read up to a cap": ["if (bytes < maxBytes) return;", "if (bytes >= 0) return;"],
  }),
];

export const deliveryFiles: readonly Mutation[] = [
  ...storedFiles,
  ...provenance,
  ...downloads,
  ...media,
  ...outputs,
  ...egress,
];
