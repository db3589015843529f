CREATE TABLE "probe_days" (
	"day" date NOT NULL,
	"component" text NOT NULL,
	"n_probes" integer NOT NULL,
	"n_down" integer NOT NULL,
	"n_degraded" integer NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	CONSTRAINT "probe_days_day_component_pk" PRIMARY KEY("day","component")
);
