-- A migration made it; the trigger that counts an account's storage calls it as the service.
grant execute on function delivery.kept_bytes to media_delivery;
