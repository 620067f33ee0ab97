-- migrate:up

-- Workers delete the rows of creates that were undone a day ago.
grant delete on generation.generations to media_generation;

-- migrate:down
