-- The plans of the interface, as they were in the program until here.
INSERT INTO "plans" ("name", "title", "for_whom", "rank", "symbols", "timeframes", "rate_limit_per_min", "webhooks", "is_shown") VALUES
  ('telegram', 'Telegram', 'Signals in your chat, with room to try the interface', 100, '{EURUSD,GBPUSD,XAUUSD}', '{H1,H4}', 30, false, true),
  ('basic', 'Basic', 'One trading client on the main symbols', 200, '{EURUSD,GBPUSD,XAUUSD}', '{H1,H4}', 60, false, true),
  ('pro', 'Pro', 'Every slot, several clients, your own analysis', 300, NULL, NULL, 300, true, true),
  ('owner', 'Owner', 'The operator''s own', 1000000, NULL, NULL, 1000, true, false);
