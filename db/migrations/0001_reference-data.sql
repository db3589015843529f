-- The owner of the installation: the key in the environment has key_id 0 and reports under subscription 0.
INSERT INTO "subscriptions" ("id", "user_name", "notes") VALUES (0, 'Owner', 'The key in OWNER_API_KEY reports here.');
--> statement-breakpoint
INSERT INTO "state_versions" ("id") VALUES (1);
--> statement-breakpoint
-- Products of the payment platform and what they buy.
INSERT INTO "products" ("product_id", "plan_tier", "kind") VALUES
  ('3031067', 'telegram', 'parent'), ('3031357', 'telegram', 'monthly'), ('3031358', 'telegram', 'single'),
  ('3031074', 'basic', 'parent'), ('3031361', 'basic', 'monthly'), ('3031365', 'basic', 'single'),
  ('3031078', 'pro', 'parent'), ('3031367', 'pro', 'monthly'), ('3031368', 'pro', 'single');
--> statement-breakpoint
-- Days of access that a product buys, and the grace added once to a new key.
INSERT INTO "settings" ("name", "value") VALUES
  ('payment_periods', '{"parent": {"days": 31, "graceDays": 3}, "monthly": {"days": 31, "graceDays": 3}, "single": {"days": 365, "graceDays": 0}}'),
  ('health_thresholds', '{"downLagFactor": 4, "downLagMinutes": 60, "degradedLagMinutes": 30, "degradedStaleShare": 0.1}');
--> statement-breakpoint
-- Instruments with their trading hours, price digits and cost of a round trip.
INSERT INTO "symbols" ("symbol", "calendar", "digits", "cost_kind", "cost_value") VALUES
  ('EURUSD', 'fx', 5, 'absolute', 0.00008), ('GBPUSD', 'fx', 5, 'absolute', 0.00012),
  ('USDJPY', 'fx', 3, 'absolute', 0.010), ('XAUUSD', 'metal', 2, 'absolute', 0.30),
  ('BTCUSD', 'crypto', 2, 'fraction', 0.0002), ('BTCUSDT', 'crypto', 2, 'fraction', 0.0002);
