CREATE TABLE "invoice_names" (
	"adapter" text NOT NULL,
	"external_id" text NOT NULL,
	"invoice_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "invoice_names_adapter_external_id_pk" PRIMARY KEY("adapter","external_id"),
	CONSTRAINT "invoice_names_adapter_known" CHECK ("invoice_names"."adapter" in ('generic', 'stripe', 'paddle', 'lemonsqueezy', 'whop', 'gumroad'))
);
--> statement-breakpoint
CREATE TABLE "platform_customers" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "platform_customers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"adapter" text NOT NULL,
	"external_id" text NOT NULL,
	"buyer_encrypted" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "platform_customers_adapter_known" CHECK ("platform_customers"."adapter" in ('generic', 'stripe', 'paddle', 'lemonsqueezy', 'whop', 'gumroad'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "platform_customers_external" ON "platform_customers" USING btree ("adapter","external_id");