CREATE TABLE "slot_forecasters" (
	"slot_id" integer PRIMARY KEY NOT NULL,
	"forecast_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "slot_forecasters_by" CHECK ("slot_forecasters"."forecast_by" in ('built_in', 'own', 'both'))
);
--> statement-breakpoint
ALTER TABLE "alert_episodes" DROP CONSTRAINT "alert_episodes_topic";--> statement-breakpoint
ALTER TABLE "signals" ADD COLUMN "beside" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "slot_forecasters" ADD CONSTRAINT "slot_forecasters_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_episodes" ADD CONSTRAINT "alert_episodes_topic" CHECK ("alert_episodes"."topic" in ('health', 'payments_refused', 'unmapped_product', 'dead_letters', 'disk_or_backup', 'champion_demoted', 'silent_clients', 'own_model_late'));