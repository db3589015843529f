-- Time in which the service kept back fresh signals: what a month bears, which part of a plan's slots counts, and how long the operator may look.
INSERT INTO "settings" ("name", "value") VALUES
  ('downtime_credit', '{"enabled": true, "thresholdMinutes": 60, "share": 0.5, "previewHours": 24}');
