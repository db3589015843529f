CREATE INDEX "signals_beside" ON "signals" USING btree ("slot_id","ts") WHERE beside;
-- products.product_id, products.kind and invoices.kind stay, because the INSERT statements of release 1.3.0 name them. This
-- release names neither these three nor telegram_bot.next_update_id, so that the release after it can drop all four.
