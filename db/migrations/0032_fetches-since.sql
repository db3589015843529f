-- Nothing is known of what was fetched before this migration: a record counts from here on.
INSERT INTO "settings" ("name", "value") VALUES ('fetches_since', to_jsonb(now())) ON CONFLICT ("name") DO NOTHING;
