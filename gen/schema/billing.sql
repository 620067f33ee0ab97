-- The schema as it is, for reading. `npm run schema` writes it; change migrations/ and functions/ instead.

create table billing.alert_settings (
  account_id text not null,
  limit_percents integer[] not null,
  webhook_url text,
  mail boolean not null,
  constraint alert_settings_pkey PRIMARY KEY (account_id)
);

grant select on billing.alert_settings to media_billing;

create table billing.alerts (
  account_id text not null,
  id text not null,
  type text not null,
  data jsonb not null,
  created_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  constraint alerts_pkey PRIMARY KEY (account_id, id),
  constraint alerts_type_check CHECK ((type = ANY (ARRAY['balance.low'::text, 'limit.reached'::text])))
);

CREATE INDEX alerts_due ON billing.alerts USING btree (due_at);
grant delete, select on billing.alerts to media_billing;
grant update (due_at) on billing.alerts to media_billing;

create table billing.balances (
  account_id text not null,
  mode text not null,
  available bigint default 0 not null,
  reserved bigint default 0 not null,
  spent bigint default 0 not null,
  issued bigint default 0 not null,
  open_holds integer default 0 not null,
  has_limits boolean default false not null,
  low_below bigint,
  is_low boolean default false not null,
  constraint balances_available_check CHECK ((available >= 0)),
  constraint balances_check CHECK ((((available + reserved) + spent) = issued)),
  constraint balances_open_holds_check CHECK ((open_holds >= 0)),
  constraint balances_pkey PRIMARY KEY (account_id, mode),
  constraint balances_reserved_check CHECK ((reserved >= 0)),
  constraint balances_spent_check CHECK ((spent >= 0))
) with (fillfactor=50);

grant select on billing.balances to media_billing;

create table billing.discounts (
  account_id text not null,
  model text not null,
  basis_points integer not null,
  starts_at timestamp with time zone not null,
  constraint discounts_basis_points_check CHECK (((basis_points >= 0) AND (basis_points <= 10000))),
  constraint discounts_pkey PRIMARY KEY (account_id, model, starts_at)
);

grant insert, select on billing.discounts to media_billing;

create table billing.entries (
  account_id text not null,
  mode text not null,
  id text not null,
  sequence bigint generated always as identity not null,
  type text not null,
  generation_id text,
  attempt integer,
  available_change bigint not null,
  reserved_change bigint not null,
  spent_change bigint not null,
  issued_change bigint not null,
  available_after bigint not null,
  reference text,
  note text,
  actor text,
  created_at timestamp with time zone not null,
  constraint entries_account_id_mode_generation_id_attempt_type_key UNIQUE (account_id, mode, generation_id, attempt, type),
  constraint entries_account_id_mode_sequence_key UNIQUE (account_id, mode, sequence),
  constraint entries_check CHECK ((((available_change + reserved_change) + spent_change) = issued_change)),
  constraint entries_pkey PRIMARY KEY (account_id, mode, id)
);

CREATE INDEX entries_by_time ON billing.entries USING btree (account_id, mode, created_at, sequence);
CREATE INDEX entries_listed_by_type ON billing.entries USING btree (account_id, mode, type, sequence);
CREATE UNIQUE INDEX entries_reference ON billing.entries USING btree (account_id, mode, reference) WHERE (reference IS NOT NULL);
grant select on billing.entries to media_billing;

create table billing.holds (
  account_id text not null,
  mode text not null,
  generation_id text not null,
  attempt integer not null,
  key_id text,
  end_user text,
  tokens bigint not null,
  captured bigint,
  state text not null,
  created_at timestamp with time zone not null,
  constraint holds_check CHECK (((captured >= 0) AND (captured <= tokens))),
  constraint holds_check1 CHECK (((state <> 'refused'::text) OR (tokens = 0))),
  constraint holds_check2 CHECK (((state = 'captured'::text) = (captured IS NOT NULL))),
  constraint holds_pkey PRIMARY KEY (account_id, mode, generation_id, attempt),
  constraint holds_tokens_check CHECK ((tokens >= 0))
);

CREATE INDEX holds_open_by_time ON billing.holds USING btree (created_at, account_id, mode, generation_id, attempt) WHERE (state = 'held'::text);
grant select on billing.holds to media_billing;

create table billing.limit_usage (
  account_id text not null,
  starts_on date not null,
  period text not null,
  counted_for text not null,
  tokens bigint not null,
  alerted_percent integer default 0 not null,
  constraint limit_usage_period_check CHECK ((period = ANY (ARRAY['day'::text, 'month'::text]))),
  constraint limit_usage_pkey PRIMARY KEY (account_id, starts_on, period, counted_for),
  constraint limit_usage_tokens_check CHECK ((tokens >= 0))
) with (fillfactor=50);

grant select on billing.limit_usage to media_billing;

create table billing.limits (
  account_id text not null,
  counted_for text not null,
  period text not null,
  tokens bigint not null,
  constraint limits_period_check CHECK ((period = ANY (ARRAY['day'::text, 'month'::text]))),
  constraint limits_pkey PRIMARY KEY (account_id, counted_for, period),
  constraint limits_tokens_check CHECK ((tokens > 0))
);

grant select on billing.limits to media_billing;

create table billing.month_balances (
  account_id text not null,
  mode text not null,
  starts_at timestamp with time zone not null,
  held bigint not null,
  constraint month_balances_pkey PRIMARY KEY (account_id, mode, starts_at)
);

-- function billing.count_in_limits(p_account text, p_key text, p_end_user text, p_tokens bigint, p_entry text, p_at timestamp with time zone)
--   returns jsonb

-- function billing.credit(p_account text, p_mode text, p_type text, p_id text, p_tokens bigint, p_reference text, p_note text, p_actor text, p_at timestamp with time zone)
--   returns TABLE(outcome text, transaction_id text, available bigint, reserved bigint)
--   security definer
--   set search_path=pg_catalog, pg_temp
--   executed by media_billing

-- function billing.erase_account(p_account text)
--   returns void
--   security definer
--   set search_path=pg_catalog, pg_temp
--   executed by media_billing

-- function billing.held_before(p_account text, p_mode text, p_at timestamp with time zone, p_now timestamp with time zone)
--   returns bigint
--   security definer
--   set search_path=pg_catalog, pg_temp
--   executed by media_billing

-- function billing.held_change(p_account text, p_mode text, p_from timestamp with time zone, p_to timestamp with time zone)
--   returns bigint
--   set search_path=pg_catalog, pg_temp

-- function billing.insert_alert(p_account text, p_type text, p_data jsonb, p_cause text, p_at timestamp with time zone)
--   returns void

-- function billing.lock_balance(p_account text, p_mode text, p_at timestamp with time zone)
--   returns billing.balances

-- function billing.move_holds(p_accounts text[], p_modes text[], p_kinds text[], p_generations text[], p_attempts integer[], p_tokens bigint[], p_entries text[], p_max_open integer[], p_keys text[], p_end_users text[], p_at timestamp with time zone, p_row_server bigint)
--   returns TABLE(ordinal bigint, outcome text, tokens bigint, available bigint, reserved bigint, refused_by jsonb, reserved_at timestamp with time zone)
--   security definer
--   set search_path=pg_catalog, pg_temp
--   executed by media_billing

-- function billing.note_limit(p_account text, p_for text, p_period text, p_starts_on date, p_size bigint, p_is_refused boolean, p_entry text, p_at timestamp with time zone)
--   returns void

-- function billing.open_balance(p_account text, p_mode text, p_at timestamp with time zone)
--   returns TABLE(available bigint, reserved bigint)
--   security definer
--   set search_path=pg_catalog, pg_temp
--   executed by media_billing

-- function billing.set_alerts(p_account text, p_low_below bigint, p_limit_percents integer[], p_webhook_url text, p_mail boolean, p_at timestamp with time zone)
--   returns void
--   security definer
--   set search_path=pg_catalog, pg_temp
--   executed by media_billing

-- function billing.set_discount(p_account text, p_model text, p_basis_points integer, p_starts_at timestamp with time zone, p_at timestamp with time zone)
--   returns integer
--   security definer
--   set search_path=pg_catalog, pg_temp
--   executed by media_billing

-- function billing.set_token_limits(p_account text, p_for text, p_day bigint, p_month bigint, p_at timestamp with time zone)
--   returns void
--   security definer
--   set search_path=pg_catalog, pg_temp
--   set enable_hashjoin=on
--   set plan_cache_mode=force_custom_plan
--   executed by media_billing

-- function billing.watch_balance(p_balance billing.balances, p_entry text, p_at timestamp with time zone)
--   returns void

-- function billing.write_holds(p_holds billing.holds[])
--   returns void
