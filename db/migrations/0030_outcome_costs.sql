ALTER TABLE "outcomes" ADD COLUMN "cost_kind" text;--> statement-breakpoint
ALTER TABLE "outcomes" ADD COLUMN "cost_value" double precision;