-- What leaves begins with what is published from now on.
INSERT INTO "outbound_cursors" ("name", "seq") SELECT 'results', "last_seq" FROM "state_versions";
--> statement-breakpoint
INSERT INTO "told_champions" ("slot_id", "model_v") SELECT "slot_id", "model_v" FROM "models" WHERE "is_active";
--> statement-breakpoint
INSERT INTO "telegram_bot" ("id") VALUES (1);
