-- Events of the payment platform beside those of the interface, by name, and the days of grace after a failed payment.
INSERT INTO "settings" ("name", "value") VALUES
  ('payment_events', '{"failed": ["payment.invoice_payment_failed", "payment.invoice_failed", "payment.payment_failed", "payment.failed"], "chargebackWon": ["payment.invoice_chargeback_won", "payment.chargeback_won", "payment.invoice_chargeback_reversed", "payment.chargeback_reversed"], "failureGraceDays": 3}');
