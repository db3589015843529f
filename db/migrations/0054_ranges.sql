CREATE TABLE "ranges" (
	"slot_id" integer NOT NULL,
	"ts" timestamp with time zone NOT NULL,
	"closes_at" timestamp with time zone NOT NULL,
	"close" double precision NOT NULL,
	"either" double precision[] NOT NULL,
	"up" double precision[] NOT NULL,
	"down" double precision[] NOT NULL,
	"moved_up" double precision,
	"moved_down" double precision,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ranges_slot_id_ts_pk" PRIMARY KEY("slot_id","ts"),
	CONSTRAINT "ranges_resolved" CHECK (num_nulls("ranges"."moved_up", "ranges"."moved_down") in (0, 2))
);
--> statement-breakpoint
ALTER TABLE "ranges" ADD CONSTRAINT "ranges_slot_id_slots_id_fk" FOREIGN KEY ("slot_id") REFERENCES "public"."slots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ranges_open" ON "ranges" USING btree ("slot_id","ts") WHERE moved_up is null;--> statement-breakpoint
CREATE INDEX "ranges_closes_at" ON "ranges" USING btree ("slot_id","closes_at") WHERE moved_up is not null;