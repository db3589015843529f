ALTER TABLE "feature_statistics" ADD COLUMN "watch_above" double precision;--> statement-breakpoint
ALTER TABLE "feature_statistics" ADD COLUMN "drifted_above" double precision;