ALTER TABLE "executions" ADD COLUMN "volume" numeric;--> statement-breakpoint
ALTER TABLE "executions" ADD COLUMN "commission" numeric;--> statement-breakpoint
ALTER TABLE "executions" ADD COLUMN "swap" numeric;--> statement-breakpoint
ALTER TABLE "executions" ADD COLUMN "currency" text;--> statement-breakpoint
ALTER TABLE "executions" ADD COLUMN "magic" numeric;--> statement-breakpoint
ALTER TABLE "executions" ADD COLUMN "comment" text;