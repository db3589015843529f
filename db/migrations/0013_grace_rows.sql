-- What is entered below is checked at once, so that a later migration of the same transaction can change the table.
SET CONSTRAINTS ALL IMMEDIATE;--> statement-breakpoint
ALTER TABLE "paid_time" DROP CONSTRAINT "paid_time_kind";--> statement-breakpoint
ALTER TABLE "paid_time" ADD CONSTRAINT "paid_time_kind" CHECK ("paid_time"."kind" in ('payment', 'trial', 'change', 'gift', 'extension', 'credit', 'grace', 'carried'));--> statement-breakpoint
-- Grace after a failed payment that is running now: until here it was the end of the key alone, and became paid time with the next change.
INSERT INTO paid_time (subscription_id, key_id, kind, plan_tier, starts_at, duration_ms)
SELECT k.subscription_id, k.id, 'grace', k.plan_tier, date_trunc('milliseconds', g.created_at),
       round(extract(epoch FROM g.ends_at - date_trunc('milliseconds', g.created_at)) * 1000)
  FROM payment_graces g JOIN api_keys k ON k.subscription_id = g.subscription_id
 WHERE g.ends_at > now() AND k.revoked_at IS NULL AND k.rotated_at IS NULL
   AND abs(extract(epoch FROM k.expires_at - g.ends_at)) < 1
   AND NOT EXISTS (SELECT 1 FROM paid_time p WHERE p.key_id = k.id AND p.created_at > g.created_at);
