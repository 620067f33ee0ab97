"""Made by `npm run gen` from openapi/media.yaml and the catalog: what the service takes and answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Generic, Literal, NotRequired, TypeAlias, TypedDict, TypeVar

from ..options import CallOptions, Picture

Type = TypeVar("Type")
Data = TypeVar("Data")

VideoModelId: TypeAlias = Literal["alpha-2.0", "alpha-2.0-fast", "alpha-2.0-mini", "beta-2.7-text-to-video", "beta-2.7-image-to-video", "beta-3.0-video"]
"""The models of the catalog when this version was made. Any other id is allowed: `client.models.list()` has those of today."""

ImageModelId: TypeAlias = Literal["gamma-image-3.0-pro"]

RequestMetadata: TypeAlias = dict[str, str] | None
"""Your own notes: at most 16 keys of 1 to 64 characters, with string values of up to 512. They are returned in the generation's `input`. No key is named `__proto__`.

In test mode the key `simulate` steers the simulator: `success`, `hang`, `slow:<seconds>` or `fail:` and one of `content_rejected`, `invalid_input`, `upstream_failed`, `upstream_timeout`, `expired` and `internal`; any other value is refused. The simulator reads no picture that is named by a URL, so `fail:invalid_input` stands in for one that cannot be read. In live mode the key has no special meaning."""

GenerationStatus: TypeAlias = Literal["pending", "processing", "success", "failed", "canceled"]
"""`pending`: accepted, waiting. `processing`: being generated. `success`, `failed` and `canceled` are final. A status only moves forward."""

Provenance: TypeAlias = Literal["c2pa", "iptc", "none"]
"""The machine-readable mark in the stored file that says it was made by AI. `c2pa`: Content Credentials, signed by who made it. `iptc`: the IPTC digital source type in its XMP metadata. `none`: the file has no mark."""

RequestEndUser: TypeAlias = str | None
"""Your own id of the user that this is for. You can filter lists and group usage by it. Upstreams that ask for a user get only a hash, so that they can block one user without the others."""

Metadata: TypeAlias = dict[str, str]
"""The submitted `metadata`, or an empty object."""

Progress: TypeAlias = int
"""Percent, estimated. It never falls."""

Mode: TypeAlias = Literal["live", "test"]
"""The mode of the key that made it."""

ModelInput: TypeAlias = Literal["text", "image", "video"]

Kind: TypeAlias = Literal["video", "image"]
"""What a generation makes."""

KeyAccess: TypeAlias = Literal["full", "read"]
"""What an API key may do. `full` is every operation; `read` is those with GET, which spend nothing."""

LimitScope: TypeAlias = Literal["account", "key", "end_user"]
"""Whether a limit is for all keys and the dashboard together, for one key, or for each `end_user`."""

LimitPeriod: TypeAlias = Literal["day", "month"]
"""A day from midnight to midnight, or a calendar month, UTC."""

Timestamp: TypeAlias = str
"""RFC 3339, UTC, with milliseconds."""

ErrorType: TypeAlias = Literal["invalid_request_error", "authentication_error", "billing_error", "permission_error", "not_found_error", "conflict_error", "idempotency_error", "rate_limit_error", "api_error", "generation_error"]
"""The family of the error; each belongs to the statuses that the table of codes gives."""

ErrorCode: TypeAlias = Literal["invalid_json", "unknown_field", "missing_field", "invalid_type", "invalid_value", "too_long", "too_short", "too_many", "out_of_range", "image_url_required", "image_url_not_supported", "image_urls_not_supported", "unsupported_duration", "unsupported_aspect_ratio", "unsupported_size", "unsupported_parameter", "model_not_found", "model_kind_mismatch", "model_unavailable", "url_not_allowed", "invalid_idempotency_key", "missing_api_key", "invalid_api_key", "revoked_api_key", "expired_api_key", "insufficient_tokens", "spend_limit_reached", "production_access_required", "account_suspended", "key_not_permitted", "storage_limit_reached", "generation_not_found", "delivery_not_found", "file_not_found", "route_not_found", "method_not_allowed", "body_too_large", "unsupported_media_type", "not_cancelable", "already_finished", "not_finished", "file_in_use", "webhook_url_disabled", "gone", "idempotency_key_reused", "rate_limited", "too_many_pending", "too_many_files", "internal", "unavailable", "content_rejected", "invalid_input", "upstream_failed", "upstream_timeout", "expired", "canceled", "generation_timeout"]
"""The stable name of the error."""

TransactionType: TypeAlias = Literal["recharge", "reserve", "capture", "release", "adjustment"]
"""`recharge`: Tokens were bought. `reserve`: held for a generation. `capture`: the held Tokens were charged. `release`: the held Tokens were restored. `adjustment`: a correction by operations."""

WebhookEventType: TypeAlias = Literal["video.generation.completed", "video.generation.failed", "video.generation.canceled", "image.generation.completed", "image.generation.failed", "image.generation.canceled", "balance.low", "limit.reached", "webhook.test"]
"""The event's type."""

WebhookDeliveryStatus: TypeAlias = Literal["pending", "delivered", "exhausted", "disabled"]
"""`pending`: an attempt is due. `delivered`: the receiver answered an attempt with 2xx; a redelivery that fails later does not change that. `exhausted`: every attempt failed. `disabled`: the receiver answered 410, only failed for five days, or an operator disabled the URL: nothing more is sent to it until it is enabled again in the dashboard."""


class VideoRequest(TypedDict):
    model: VideoModelId | str
    """The `id` of a model of kind `video`."""
    prompt: str
    """What the video shows."""
    image_url: NotRequired[str | Picture | StoredFile | ImageOutput | None]
    """The first frame or reference image: a public `https` URL without userinfo, on the standard port or 1024 to 65535, or the `url` of a file of yours. It is fetched while the generation runs; if it cannot be read, the generation fails with `invalid_input`. The model's `inputs` and `required_inputs` say whether an image may or must be given."""
    duration: NotRequired[int | None]
    """How many seconds the video lasts. The model's `durations` say which values it accepts, and its default."""
    aspect_ratio: NotRequired[str | None]
    """The shape of the frames, `<width>:<height>`. The model's `aspect_ratios` say which values it accepts; the default is its `default_aspect_ratio`. With a first frame the video may follow the picture instead; the output's `width` and `height` tell."""
    negative_prompt: NotRequired[str | None]
    """What the video must not show."""
    seed: NotRequired[int | None]
    """The same seed with the same request gives similar videos. When absent one is chosen and not returned: to repeat a result, send your own. For models whose `parameters` have it."""
    resolution: NotRequired[str | None]
    """The size of the frames, its letter in any case. For models whose `parameters` have it, with the values there; the default is the model's `resolution`."""
    audio: NotRequired[bool | None]
    """Whether the video has sound. For models whose `parameters` have it. When absent it may have sound or not, as the model's upstream is set up."""
    last_image_url: NotRequired[str | Picture | StoredFile | ImageOutput | None]
    """The last frame; `image_url` is then the first one and is needed too. For models whose `parameters` have it. A URL as in `image_url`."""
    webhook_url: NotRequired[str | None]
    """Where to send the event when the generation ends: a public `https` URL without userinfo, on the standard port or 1024 to 65535."""
    end_user: NotRequired[RequestEndUser]
    metadata: NotRequired[RequestMetadata]


class ImageRequest(TypedDict):
    model: ImageModelId | str
    """The `id` of a model of kind `image`."""
    prompt: str
    """What the image shows."""
    image_urls: NotRequired[Sequence[str | Picture | StoredFile | ImageOutput] | None]
    """Reference images, from which the new ones are made. For models whose `inputs` include `image`, up to the model's `max_reference_images`. Each adds `tokens_per_reference_image` to the price."""
    size: NotRequired[str | None]
    """The size of the images in pixels, `<width>x<height>`. The model's `sizes` say which values it accepts; the default is its `default_size`."""
    negative_prompt: NotRequired[str | None]
    """What the image must not show."""
    prompt_extend: NotRequired[bool | None]
    """Whether the prompt may be rewritten for a richer picture. The default is true. Only models whose `parameters` have it take false."""
    seed: NotRequired[int | None]
    """The same seed with the same request gives similar pictures. When absent one is chosen and not returned: to repeat a result, send your own. For models whose `parameters` have it."""
    n: NotRequired[int | None]
    """How many images are made, by default one. For models whose `parameters` have it, up to the `max` there. You pay the price for each image. The generation succeeds if at least one is made; the Tokens of the others are restored with the charge."""
    background: NotRequired[Literal["opaque", "transparent", None]]
    """The background of the subject. For models whose `parameters` have it, with the values there; when absent the model decides. A JPEG has no transparency."""
    output_format: NotRequired[Literal["png", "jpeg", "webp", None]]
    """The format of the file. For models whose `parameters` have it, with the values there; when absent the model decides, and the output's `content_type` tells."""
    webhook_url: NotRequired[str | None]
    """Where to send the event when the generation ends: a public `https` URL without userinfo, on the standard port or 1024 to 65535."""
    end_user: NotRequired[RequestEndUser]
    metadata: NotRequired[RequestMetadata]


class ReferenceImage(TypedDict):
    url: str | Picture | StoredFile | ImageOutput
    """A URL as in `image_url`."""
    role: Literal["subject", "style"]
    """`subject`: a person, thing or place that the video shows. `style`: how the video looks."""


class _VideoFields(TypedDict):
    id: str
    object: Literal["video.generation"]
    model: str
    """The model's `id`."""
    mode: Mode
    credits: int
    """Tokens reserved or charged for this generation. 0 after `failed` or `canceled`."""
    progress: Progress
    output: list[VideoOutput]
    """The stored files."""
    input: VideoInput
    created_at: Timestamp
    started_at: NotRequired[Timestamp]
    completed_at: NotRequired[Timestamp]
    estimated_completion_at: NotRequired[Timestamp]


class VideoSucceeded(_VideoFields):
    status: Literal["success"]


class VideoFailed(_VideoFields):
    status: Literal["failed"]
    error: GenerationError


class VideoUnfinished(_VideoFields):
    status: Literal["pending", "processing"]


class VideoCanceled(_VideoFields):
    status: Literal["canceled"]


Video: TypeAlias = VideoSucceeded | VideoFailed | VideoUnfinished | VideoCanceled


class VideoInputReferenceImagesItem(TypedDict):
    url: str
    """As it was sent; it may have characters beyond ASCII."""
    role: str
    """What the picture guides."""


class VideoInput(TypedDict):
    model: str
    prompt: str
    image_url: NotRequired[str]
    duration: int
    aspect_ratio: str
    negative_prompt: NotRequired[str]
    seed: NotRequired[int]
    resolution: NotRequired[str]
    audio: NotRequired[bool]
    last_image_url: NotRequired[str]
    reference_images: NotRequired[list[VideoInputReferenceImagesItem]]
    video_url: NotRequired[str]
    webhook_url: NotRequired[str]
    end_user: NotRequired[str]
    metadata: Metadata


class VideoOutput(TypedDict):
    url: str
    """The video's durable URL."""
    thumbnail_url: NotRequired[str]
    """A still's durable URL; present only when available."""
    content_type: str
    """The video's media type."""
    width: int
    """Pixels."""
    height: int
    """Pixels."""
    duration: float
    """Seconds, as measured in the stored file."""
    bytes: int
    """The stored file's size."""
    provenance: Provenance


class _ImageFields(TypedDict):
    id: str
    object: Literal["image.generation"]
    model: str
    """The model's `id`."""
    mode: Mode
    credits: int
    """Tokens reserved or charged for this generation. 0 after `failed` or `canceled`."""
    progress: Progress
    output: list[ImageOutput]
    """The stored files."""
    input: ImageInput
    created_at: Timestamp
    started_at: NotRequired[Timestamp]
    completed_at: NotRequired[Timestamp]


class ImageSucceeded(_ImageFields):
    status: Literal["success"]


class ImageFailed(_ImageFields):
    status: Literal["failed"]
    error: GenerationError


class ImageUnfinished(_ImageFields):
    status: Literal["pending", "processing"]


class ImageCanceled(_ImageFields):
    status: Literal["canceled"]


Image: TypeAlias = ImageSucceeded | ImageFailed | ImageUnfinished | ImageCanceled


class ImageInput(TypedDict):
    model: str
    prompt: str
    image_urls: list[str]
    size: str
    negative_prompt: NotRequired[str]
    prompt_extend: bool
    seed: NotRequired[int]
    n: NotRequired[int]
    mask_url: NotRequired[str]
    background: NotRequired[str]
    output_format: NotRequired[str]
    webhook_url: NotRequired[str]
    end_user: NotRequired[str]
    metadata: Metadata


class ImageOutput(TypedDict):
    url: str
    """The image's durable URL."""
    thumbnail_url: NotRequired[str]
    """The durable URL of a WebP of at most 40 kB, no wider than 640 pixels."""
    content_type: str
    """The image's media type."""
    width: int
    """Pixels."""
    height: int
    """Pixels."""
    bytes: int
    """The stored file's size."""
    provenance: Provenance


class GenerationError(TypedDict):
    code: Literal["content_rejected", "invalid_input", "upstream_failed", "upstream_timeout", "expired", "internal"]
    """`content_rejected`: the prompt, an image or the result was judged unsuitable; change it. `invalid_input`: an input could not be used, e.g. an unreadable image; change it. `upstream_failed`: generating failed; try again. `upstream_timeout`: it took too long; try again. `expired`: it waited for too long, or its result was gone before it could be stored; try again. `internal`: a fault of the service; try again."""
    message: str
    """For a person; says what to do."""


class Model(TypedDict):
    id: str
    """A stable identifier."""
    object: Literal["model"]
    kind: Kind
    """Which create operation takes it."""
    inputs: list[ModelInput]
    """What it accepts. `image` is `image_url` for a video model and `image_urls` for an image model; `video` is `video_url`."""
    required_inputs: list[ModelInput]
    """What it cannot do without."""
    availability: Literal["available", "unavailable"]
    """A create with an unavailable model is refused with `model_unavailable` and reserves nothing."""
    unavailable_reason: NotRequired[Literal["pricing_unverified", "disabled", "no_route"]]
    """Present if it is unavailable. `pricing_unverified`: no verified price yet. `disabled`: out of service. `no_route`: no upstream serves it in live mode at present."""
    resolution: NotRequired[str]
    """Video models only."""
    durations: NotRequired[Durations]
    aspect_ratios: NotRequired[list[str]]
    """Accepted values of `aspect_ratio`."""
    default_aspect_ratio: NotRequired[str]
    """Used if `aspect_ratio` is absent."""
    sizes: list[str]
    """Accepted values of `size`."""
    default_size: NotRequired[str]
    """Used if `size` is absent."""
    max_reference_images: int
    """How many images `image_url` or `image_urls` may carry."""
    fields: NotRequired[list[str]]
    """Every field that a create with this model takes, in the order of the reference: those that all models of its kind take, such as `negative_prompt`, and its own."""
    parameters: dict[str, ModelParameter]
    """The optional fields of a create that this model takes beyond those of every model of its kind, by name."""
    pricing: Pricing | None
    """Your own price, or null if it is not verified."""


class ModelParameter(TypedDict):
    values: NotRequired[list[str]]
    """The values that it accepts; for `reference_images` the roles."""
    max: NotRequired[int]
    """The most that it accepts; of `reference_images` how many."""


class Durations(TypedDict):
    min: int
    """The shortest."""
    max: int
    """The longest."""
    step: int
    """The distance of two values."""
    default: int
    """What is used where it is absent."""


class Pricing(TypedDict):
    currency: Literal["token"]
    unit: Literal["second", "image"]
    """What is counted."""
    unit_quantity: int
    """How many units `tokens` pays for; a started quantity counts as a whole one."""
    tokens: int
    """Your price, discounts applied."""
    list_tokens: NotRequired[int]
    """The price before your discount; present if it differs from `tokens`."""
    tiers: NotRequired[list[PricingTier]]
    """Image models only."""
    tokens_per_reference_image: NotRequired[int]
    """Absent if references cost nothing."""
    surcharges: NotRequired[list[Surcharge]]
    """Surcharges of parameters."""


class Surcharge(TypedDict):
    parameter: str
    """The field of the create, one of the model's `parameters`."""
    value: NotRequired[str]
    """The value that costs this."""
    tokens: int
    """Your price, discounts applied, for each started `unit_quantity` of a video or for each image."""
    list_tokens: NotRequired[int]
    """The price before your discount; present if it differs from `tokens`."""


class PricingTier(TypedDict):
    tier: str
    """The name of the tier, such as 1K or 2K."""
    sizes: list[str]
    """The sizes that cost this, as `<width>x<height>`."""
    tokens: int
    """Your price for one image of these sizes, discounts applied."""
    list_tokens: NotRequired[int]
    """The price before your discount; present if it differs from `tokens`."""


class Balance(TypedDict):
    object: Literal["balance"]
    mode: Mode
    available: int
    """Tokens that a create may reserve now."""
    reserved: int
    """Tokens held for generations that have not ended."""
    token_price: NotRequired[TokenPrice]
    """The approximate price of a live Token."""
    limits: list[TokenLimit]
    """The limits that the account set, without those of single keys and end users."""


class TokenPrice(TypedDict):
    amount: str
    """A decimal number of the currency's main unit."""
    currency: str
    """The currency, by its ISO 4217 code."""


class TokenLimit(TypedDict):
    scope: LimitScope
    key_id: NotRequired[str]
    """The id of the key; only where the scope is `key`."""
    period: LimitPeriod
    tokens: int
    """How many may be used in a period."""
    used: int
    """The Tokens that were reserved in this period and not restored, charged or not."""
    resets_at: Timestamp
    """When the period ends and the limit starts anew."""


class BalanceLowEventData(TypedDict):
    available: int
    """Tokens that a create could reserve then."""
    reserved: int
    """Tokens held for generations that had not ended."""
    threshold: int
    """What the account set."""


class LimitReachedEventData(TypedDict):
    percent: int
    """The percentage that was reached, as the account set it. 100 also when a create was refused because of the limit."""
    limit: TokenLimit
    """The limit as it was then."""


class ErrorDetails(TypedDict):
    required: NotRequired[int]
    """`insufficient_tokens`, `spend_limit_reached`: the Tokens that the request costs."""
    available: NotRequired[int]
    """`insufficient_tokens`: the Tokens that the balance has."""
    limit: NotRequired[int]
    """`spend_limit_reached`: how many Tokens may be used in the period. `storage_limit_reached`: how many bytes may be kept."""
    used: NotRequired[int]
    """`spend_limit_reached`, `storage_limit_reached`: how many of them are used."""
    resets_at: NotRequired[Timestamp]
    """`spend_limit_reached`: when the period ends and the limit starts anew."""
    scope: NotRequired[LimitScope]
    """`spend_limit_reached`: whether the limit is the account's, the key's or the end user's."""
    key_id: NotRequired[str]
    """`spend_limit_reached`: the id of the key, where the limit is a key's."""
    period: NotRequired[LimitPeriod]
    """`spend_limit_reached`: how long a period is."""
    access: NotRequired[KeyAccess]
    """`key_not_permitted`: whether the key may only read."""
    kinds: NotRequired[list[Kind]]
    """`key_not_permitted`: the only kinds that the key may create; absent for both."""
    models: NotRequired[list[str]]
    """`key_not_permitted`: the only models that the key may create with; absent for all."""
    generation_id: NotRequired[str]
    """The generation that the error is about, where there is one or may be one: retrieve it."""


class Fault(TypedDict):
    code: ErrorCode
    message: str
    """For a person; says what to do."""
    param: str
    """The field, query parameter or header at fault."""


class ApiRequest(TypedDict):
    id: str
    object: Literal["request"]
    request_id: str
    """What the answer's `Request-Id` said, and its error."""
    mode: Mode
    key_id: str
    """The API key that the request was sent with."""
    method: str
    """The HTTP method."""
    path: str
    """The operation's path with names in place of ids, like `/v1/videos/generations/{id}`."""
    status: int
    """The HTTP status of the answer."""
    error_code: NotRequired[str]
    """The `error.code` of the answer; absent if it was no error."""
    error_param: NotRequired[str]
    """The `error.param` of the answer: the field, query parameter or header at fault. `metadata` for any name in it."""
    error_message: NotRequired[str]
    """The first 300 characters of the `error.message` of the answer."""
    generation_id: NotRequired[str]
    """The generation that the request made, read or changed, if any."""
    duration_ms: int
    """From the arrival of the request to the end of its answer."""
    created_at: Timestamp
    """When the answer ended."""


class Transaction(TypedDict):
    id: str
    object: Literal["transaction"]
    type: TransactionType
    tokens: int
    """The change of the available Tokens; negative for a `reserve`, 0 for the `capture` of all that was reserved."""
    charged: NotRequired[int]
    """What a `capture` took of the Tokens that were reserved before. `tokens` is the rest of them, which is available again."""
    available_after: int
    """The available Tokens after it."""
    generation_id: NotRequired[str]
    """The generation it belongs to; absent for a `recharge` or an `adjustment`."""
    note: NotRequired[str]
    """What operations wrote beside it."""
    created_at: Timestamp


Usage = TypedDict("Usage", {"object": "Literal['usage']", "mode": "Mode", "from": "str", "to": "str", "group_by": "Literal['day', 'model', 'key', 'end_user']", "data": "list[UsageGroup]", "total": "UsageSums"})


class UsageGroup(TypedDict):
    date: NotRequired[str]
    """The day, UTC."""
    model: NotRequired[str]
    """The model's `id`."""
    key_id: NotRequired[str]
    """The API key."""
    end_user: NotRequired[str]
    """The `end_user` of the creates."""
    generations: int
    """Generations that were charged."""
    captured: int
    """Tokens that were charged."""
    reserved: int
    """Tokens held for generations that have not ended."""
    net: int
    """Tokens charged or held."""


class UsageSums(TypedDict):
    generations: int
    """Generations that were charged."""
    captured: int
    """Tokens that were charged."""
    reserved: int
    """Tokens that are reserved for generations that have not ended."""
    net: int
    """Both together."""


class Delivery(TypedDict):
    id: str
    object: Literal["webhook.delivery"]
    event_id: str
    type: WebhookEventType
    generation_id: NotRequired[str]
    url: str
    """The `webhook_url` or the alerts' URL as it was set; it may have characters beyond ASCII."""
    status: WebhookDeliveryStatus
    attempts: list[WebhookAttempt]
    """The latest 25, oldest first."""
    next_attempt_at: NotRequired[Timestamp]
    created_at: NotRequired[Timestamp]


class WebhookAttempt(TypedDict):
    at: Timestamp
    status_code: NotRequired[int]
    """The receiver's answer; absent if there was none."""
    error: NotRequired[str]
    """Why there was no answer; absent if there was one: `dns_error`, `blocked_address`, `connection_refused`, `connection_reset`, `tls_error`, `timeout`, `too_large_headers` or `network_error`."""
    duration_ms: int
    """Milliseconds until the answer, or until it was given up."""
    response_body: NotRequired[str]
    """The first 2,000 characters of the receiver's answer."""


class StoredFile(TypedDict):
    id: str
    object: Literal["file"]
    url: str
    """Use it as `image_url` or in `image_urls`."""
    content_type: Literal["image/png", "image/jpeg", "image/webp"]
    """What the bytes are, whatever was declared."""
    bytes: int
    """The size of the file."""
    width: int
    """In pixels, as a browser shows it."""
    height: int
    """In pixels, as a browser shows it."""
    created_at: Timestamp
    expires_at: NotRequired[Timestamp]


class PageFilter(CallOptions):
    limit: NotRequired[int]
    """How many to return."""
    after: NotRequired[str]
    """Return what follows this id: the last id of the page before."""


class GenerationFilter(PageFilter):
    status: NotRequired[GenerationStatus]
    """Only generations of this status."""
    model: NotRequired[str]
    """Only generations of the model with this `id`, also one that the catalog does not list: an empty list is no error."""
    end_user: NotRequired[str]
    """Only those that were created with this `end_user`."""
    created_after: NotRequired[str | datetime]
    """Only generations created after this time, RFC 3339."""
    created_before: NotRequired[str | datetime]
    """Only generations created before this time, RFC 3339."""


class TransactionFilter(PageFilter):
    generation_id: NotRequired[str]
    """Only the transactions of this generation."""
    type: NotRequired[TransactionType]
    """Only transactions of this type."""


class UsageFilter(CallOptions):
    from_: NotRequired[str]
    """The first day, 1970-01-01 at the earliest."""
    to: NotRequired[str]
    """The last day, at most 91 days after the first."""
    group_by: NotRequired[Literal["day", "model", "key", "end_user"]]
    """What the usage is divided by."""


class DeliveryFilter(PageFilter):
    generation_id: NotRequired[str]
    """Only the deliveries of this generation."""
    status: NotRequired[WebhookDeliveryStatus]
    """Only deliveries of this status."""
    type: NotRequired[WebhookEventType]
    """Only deliveries of events of this type."""
    url: NotRequired[str]
    """Only deliveries to this URL, written exactly as it was set, and URL-encoded as any value of a query."""
    created_after: NotRequired[str | datetime]
    """Only deliveries created after this time, RFC 3339."""
    created_before: NotRequired[str | datetime]
    """Only deliveries created before this time, RFC 3339."""


class RequestFilter(PageFilter):
    request_id: NotRequired[str]
    """Only the requests with this `Request-Id`."""
    status: NotRequired[str]
    """Only requests that were answered with this HTTP status, such as `404`, or with one of a class, such as `4xx`."""
    method: NotRequired[str]
    """Only requests with this HTTP method."""
    path: NotRequired[str]
    """Only requests with this `path`, which has no query, and names in place of ids: `/v1/videos/generations/{id}`."""
    key_id: NotRequired[str]
    """Only the requests of this API key."""
    generation_id: NotRequired[str]
    """Only the requests that made, read or changed this generation."""
    created_after: NotRequired[str | datetime]
    """Only requests answered after this time, RFC 3339."""
    created_before: NotRequired[str | datetime]
    """Only requests answered before this time, RFC 3339."""


class Event(TypedDict, Generic[Type, Data]):
    type: Type
    timestamp: Timestamp
    data: Data


BalanceLowEvent: TypeAlias = Event[Literal["balance.low"], BalanceLowEventData]
LimitReachedEvent: TypeAlias = Event[Literal["limit.reached"], LimitReachedEventData]
VideoGenerationCompletedEvent: TypeAlias = Event[Literal["video.generation.completed"], VideoSucceeded]
VideoGenerationFailedEvent: TypeAlias = Event[Literal["video.generation.failed"], VideoFailed]
VideoGenerationCanceledEvent: TypeAlias = Event[Literal["video.generation.canceled"], VideoCanceled]
ImageGenerationCompletedEvent: TypeAlias = Event[Literal["image.generation.completed"], ImageSucceeded]
ImageGenerationFailedEvent: TypeAlias = Event[Literal["image.generation.failed"], ImageFailed]
ImageGenerationCanceledEvent: TypeAlias = Event[Literal["image.generation.canceled"], ImageCanceled]
WebhookTestEvent: TypeAlias = Event[Literal["webhook.test"], dict[str, object]]

WebhookEvent: TypeAlias = BalanceLowEvent | LimitReachedEvent | VideoGenerationCompletedEvent | VideoGenerationFailedEvent | VideoGenerationCanceledEvent | ImageGenerationCompletedEvent | ImageGenerationFailedEvent | ImageGenerationCanceledEvent | WebhookTestEvent

PICTURE_FIELDS: Final = {"videos": frozenset({"image_url", "last_image_url", "reference_images[].url"}), "images": frozenset({"image_urls[]", "mask_url"})}
OFFERED_PICTURES: Final = {"videos": ["image_url", "last_image_url"], "images": ["image_urls[]"]}
"""The fields of creates that take a picture in place of its URL, and those that models take: `[]` is an item of a list."""
