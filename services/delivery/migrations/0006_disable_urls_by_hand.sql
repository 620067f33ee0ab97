-- migrate:up

-- `operator`: an operator disabled it.
alter table delivery.disabled_urls drop constraint disabled_urls_reason_check;
alter table delivery.disabled_urls
  add constraint disabled_urls_reason_check check (reason in ('gone', 'failing', 'operator')) not valid;

-- migrate:down
