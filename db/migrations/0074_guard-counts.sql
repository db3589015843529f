CREATE TABLE "guard_counts" (
	"name_hash" text PRIMARY KEY NOT NULL,
	"window_start" timestamp with time zone NOT NULL,
	"n" integer NOT NULL
);
