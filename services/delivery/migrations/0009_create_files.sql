-- migrate:up

-- Pictures that clients sent. Their bytes are an output at position 0 of delivery.assets, under the file's id.
create table delivery.files (
  account_id text not null,
  id text not null,
  mode text not null check (mode in ('live', 'test')),
  sha256 text not null,
  created_at timestamptz not null,
  primary key (account_id, id)
);
create index files_by_age on delivery.files (account_id, mode, created_at);
grant insert, select on delivery.files to media_delivery;

-- Which generations need which files, with the number of the attempt to create them.
create table delivery.file_uses (
  account_id text not null,
  generation_id text not null,
  file_id text not null,
  attempt integer not null check (attempt >= 1),
  primary key (account_id, generation_id, file_id)
);
create index file_uses_by_file on delivery.file_uses (account_id, file_id);
grant delete, insert, select, update on delivery.file_uses to media_delivery;

-- migrate:down
