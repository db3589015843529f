CREATE TABLE "slot_settings" (
	"symbol" text NOT NULL,
	"timeframe" text NOT NULL,
	"grace_minutes" integer,
	"is_trained" boolean,
	"train_every_hours" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "slot_settings_symbol_timeframe_pk" PRIMARY KEY("symbol","timeframe"),
	CONSTRAINT "slot_settings_timeframe" CHECK ("slot_settings"."timeframe" in ('M1', 'M2', 'M3', 'M4', 'M5', 'M6', 'M10', 'M12', 'M15', 'M20', 'M30', 'H1', 'H2', 'H3', 'H4', 'H6', 'H8', 'H12', 'D1', 'W1', 'MN1')),
	CONSTRAINT "slot_settings_grace" CHECK ("slot_settings"."grace_minutes" between 0 and 10080),
	CONSTRAINT "slot_settings_training" CHECK ("slot_settings"."train_every_hours" between 1 and 8784)
);
