CREATE TABLE "platform_subscribers" (
	"adapter" text NOT NULL,
	"external_subscription_id" text NOT NULL,
	"subscription_id" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "platform_subscribers_adapter_external_subscription_id_pk" PRIMARY KEY("adapter","external_subscription_id"),
	CONSTRAINT "platform_subscribers_adapter_known" CHECK ("platform_subscribers"."adapter" in ('generic', 'stripe', 'paddle', 'lemonsqueezy', 'whop', 'gumroad'))
);
--> statement-breakpoint
CREATE TABLE "shared_addresses" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "shared_addresses_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"subscription_ids" integer[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"reviewed_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "platform_subscribers" ADD CONSTRAINT "platform_subscribers_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "shared_addresses_waiting" ON "shared_addresses" USING btree ("created_at") WHERE reviewed_at is null;--> statement-breakpoint
-- One label of a domain in its ASCII form (RFC 3492). Stored identities are in NFKC and lower case already.
CREATE FUNCTION pg_temp.ascii_label(label text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  digits constant text := 'abcdefghijklmnopqrstuvwxyz0123456789';
  points int[] := array(SELECT ascii(ch) FROM unnest(string_to_array(label, NULL)) WITH ORDINALITY u (ch, i) ORDER BY i);
  written text := '';
  n int := 128;
  delta int := 0;
  bias int := 72;
  basic int;
  handled int;
  next int;
  point int;
  rest int;
  k int;
  threshold int;
BEGIN
  FOREACH point IN ARRAY points LOOP
    IF point < 128 THEN written := written || chr(point); END IF;
  END LOOP;
  basic := length(written);
  handled := basic;
  IF handled = cardinality(points) THEN RETURN label; END IF;
  IF basic > 0 THEN written := written || '-'; END IF;
  WHILE handled < cardinality(points) LOOP
    SELECT min(p) INTO next FROM unnest(points) p WHERE p >= n;
    delta := delta + (next - n) * (handled + 1);
    n := next;
    FOREACH point IN ARRAY points LOOP
      IF point < n THEN delta := delta + 1; END IF;
      IF point = n THEN
        rest := delta;
        k := 36;
        LOOP
          threshold := CASE WHEN k <= bias THEN 1 WHEN k >= bias + 26 THEN 26 ELSE k - bias END;
          EXIT WHEN rest < threshold;
          written := written || substr(digits, threshold + (rest - threshold) % (36 - threshold) + 1, 1);
          rest := (rest - threshold) / (36 - threshold);
          k := k + 36;
        END LOOP;
        written := written || substr(digits, rest + 1, 1);
        delta := CASE WHEN handled = basic THEN delta / 700 ELSE delta / 2 END;
        delta := delta + delta / (handled + 1);
        k := 0;
        WHILE delta > 455 LOOP
          delta := delta / 35;
          k := k + 36;
        END LOOP;
        bias := k + 36 * delta / (delta + 38);
        delta := 0;
        handled := handled + 1;
      END IF;
    END LOOP;
    delta := delta + 1;
    n := n + 1;
  END LOOP;
  RETURN 'xn--' || written;
END $$;
--> statement-breakpoint
-- The identity of an address as lib/wire/email decides it: without invisible characters, its domain in ASCII.
CREATE FUNCTION pg_temp.identity_of(address text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT regexp_replace(seen, '@[^@]*$', '') || '@' ||
         (SELECT string_agg(pg_temp.ascii_label(label), '.' ORDER BY i)
            FROM unnest(string_to_array(substring(seen FROM '@([^@]*)$'), '.')) WITH ORDINALITY l (label, i))
    FROM (SELECT regexp_replace(address,
      '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0]',
      '', 'g') AS seen) cleaned
$$;
--> statement-breakpoint
CREATE TEMP TABLE moved_identities ON COMMIT DROP AS
  SELECT former, pg_temp.identity_of(former) AS present
    FROM (SELECT email_normalized AS former FROM subscriptions WHERE email_normalized ~ '[^ -~]'
          UNION SELECT email_normalized FROM users WHERE email_normalized ~ '[^ -~]'
          UNION SELECT email_normalized FROM administrators WHERE email_normalized ~ '[^ -~]'
          UNION SELECT email_normalized FROM former_addresses WHERE email_normalized ~ '[^ -~]') stored
   WHERE former LIKE '%@%' AND pg_temp.identity_of(former) <> former;
--> statement-breakpoint
-- Subscribers who have one identity from now on are listed for a person: none is merged silently.
INSERT INTO shared_addresses (subscription_ids)
  SELECT array_agg(s.id ORDER BY s.id)
    FROM subscriptions s LEFT JOIN moved_identities m ON m.former = s.email_normalized
   WHERE coalesce(m.present, s.email_normalized) IN (SELECT present FROM moved_identities)
   GROUP BY coalesce(m.present, s.email_normalized) HAVING count(DISTINCT s.email_normalized) > 1;
--> statement-breakpoint
UPDATE invoices i SET email_hash = left(encode(sha256(convert_to(m.present, 'UTF8')), 'hex'), 4)
  FROM subscriptions s JOIN moved_identities m ON m.former = s.email_normalized
 WHERE i.subscription_id = s.id AND i.email_hash IS NOT NULL;
--> statement-breakpoint
UPDATE payment_deliveries d SET email_hash = left(encode(sha256(convert_to(m.present, 'UTF8')), 'hex'), 4)
  FROM invoices i JOIN subscriptions s ON s.id = i.subscription_id
  JOIN moved_identities m ON m.former = s.email_normalized
 WHERE d.invoice_id = i.invoice_id AND d.email_hash IS NOT NULL;
--> statement-breakpoint
-- Whose a customer of a platform is cannot be read here: without a hash it is looked through when an account is deleted.
UPDATE platform_customers SET email_hash = NULL
 WHERE email_hash IN (SELECT left(encode(sha256(convert_to(former, 'UTF8')), 'hex'), 4) FROM moved_identities);
--> statement-breakpoint
UPDATE subscriptions s SET email_normalized = m.present FROM moved_identities m WHERE s.email_normalized = m.former;
--> statement-breakpoint
UPDATE sign_in_tokens t SET email_normalized = m.present FROM moved_identities m WHERE t.email_normalized = m.former;
--> statement-breakpoint
-- What is unique takes the new form where nobody has it: the others sign in again.
UPDATE users u SET email_normalized = m.present FROM moved_identities m
 WHERE u.email_normalized = m.former AND NOT EXISTS (SELECT 1 FROM users o WHERE o.email_normalized = m.present)
   AND m.former = (SELECT min(n.former) FROM moved_identities n JOIN users o ON o.email_normalized = n.former WHERE n.present = m.present);
--> statement-breakpoint
UPDATE administrators a SET email_normalized = m.present FROM moved_identities m
 WHERE a.email_normalized = m.former AND a.removed_at IS NULL
   AND NOT EXISTS (SELECT 1 FROM administrators o WHERE o.email_normalized = m.present AND o.removed_at IS NULL)
   AND m.former = (SELECT min(n.former) FROM moved_identities n JOIN administrators o ON o.email_normalized = n.former AND o.removed_at IS NULL WHERE n.present = m.present);
--> statement-breakpoint
UPDATE former_addresses f SET email_normalized = m.present FROM moved_identities m
 WHERE f.email_normalized = m.former AND NOT EXISTS (SELECT 1 FROM former_addresses o WHERE o.email_normalized = m.present)
   AND m.former = (SELECT min(n.former) FROM moved_identities n JOIN former_addresses o ON o.email_normalized = n.former WHERE n.present = m.present);
