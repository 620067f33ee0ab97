/** The RPCs on what is set for an account: discounts, limits of Tokens, and alerts about Tokens. */
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { invalidField, refusal } from "#runtime/rpc/errors.ts";
import { fieldsOf } from "#runtime/row-fields.ts";
import { toAlert, toAlertSettings } from "../domain/alert.ts";
import { EACH_END_USER, toTokenLimit } from "../domain/token-limit.ts";
import type { Deps, Rpcs } from "./deps.ts";
import * as store from "../store/account-settings.ts";

const LEASE_MS = 60_000;

const toDiscount = ({ startsAt, ...discount }: store.DiscountRow) => ({
  ...discount,
  from: timestampFromDate(startsAt),
});

export const accountSettingRpcs = (deps: Deps) =>
  ({
    async getDiscounts({ accountId, withComing }) {
      const rows = await store.listDiscounts(deps.sql, accountId, deps.clock.now(), withComing);
      return { discounts: rows.map(toDiscount) };
    },
    async setDiscount({ accountId, discount }) {
      const { model = "", basisPoints = 0, from } = discount ?? {};
      const at = deps.clock.now();
      const row = { model, basisPoints, startsAt: from ? timestampDate(from) : at };
      const set = await store.setDiscount(deps.sql, { ...row, accountId, at });
      if (set === basisPoints) return { discount: toDiscount(row) };
      const time = row.startsAt.toISOString();
      if (set === null) {
        throw invalidField("discount.from", `${time} is past: leave it out to begin now`);
      }
      throw refusal({
        reason: ErrorReason.CONTENT_DIFFERS,
        field: "discount.basis_points",
        message: `${set} basis points are in force from ${time} on; choose a later time`,
      });
    },
    async getTokenLimits({ accountId }) {
      const [limits, alerts] = await Promise.all([
        store.listTokenLimits(deps.sql, accountId, deps.clock.now()),
        store.findAlertSettings(deps.sql, accountId),
      ]);
      return { limits: limits.map(toTokenLimit), alerts: toAlertSettings(alerts) };
    },
    async setTokenLimits({ accountId, keyId, perEndUser, dayTokens = null, monthTokens = null }) {
      if (perEndUser && keyId !== "") {
        throw invalidField("per_end_user", "key_id and per_end_user exclude each other");
      }
      const countedFor = perEndUser ? EACH_END_USER : keyId;
      const limits = { accountId, countedFor, dayTokens, monthTokens, at: deps.clock.now() };
      await store.setTokenLimits(deps.sql, limits);
      return {};
    },
    async setAlerts({ accountId, alerts }) {
      const row = {
        lowBelow: alerts?.lowBalance ?? null,
        limitPercents: alerts?.limitPercents ?? [],
        webhookUrl: alerts?.webhookUrl || null,
        mail: alerts?.mail ?? true,
      };
      await store.setAlerts(deps.sql, accountId, row, deps.clock.now());
      return {};
    },
    async claimAlerts({ limit }) {
      const at = deps.clock.now();
      const rows = await store.claimAlerts(deps.sql, limit, at, addMs(at, LEASE_MS));
      return { alerts: rows.map((row) => ({ ...fieldsOf(row), alert: toAlert(row) })) };
    },
    async confirmAlert({ accountId, eventId }) {
      await store.deleteAlert(deps.sql, accountId, eventId);
      return {};
    },
    async eraseAccount({ accountId }) {
      await store.eraseAccount(deps.sql, accountId);
      return { done: true };
    },
  }) satisfies Partial<Rpcs>;
