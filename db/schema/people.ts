import { sql } from "drizzle-orm";
import { bigint, check, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { ADMIN_ROLES } from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";

/** People who administer the service. A removed one stays, so that the audit can name who did something. */
export const administrators = pgTable(
  "administrators",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    name: text("name").notNull(),
    /** As it is written to. */
    email: text("email").notNull(),
    emailNormalized: text("email_normalized").notNull(),
    role: text("role", { enum: ADMIN_ROLES }).notNull(),
    /** The secret of the second factor, encrypted. */
    totpSecretEncrypted: text("totp_secret_encrypted").notNull(),
    /** The 30 seconds whose code was used last: no code works twice. */
    totpStep: bigint("totp_step", { mode: "number" }).notNull().default(0),
    /** SHA-256 of the recovery codes that are left. */
    recoveryHashes: text("recovery_hashes").array().notNull().default(sql`'{}'::text[]`),
    /** SHA-256 of the token of the mailed link that is out, until when it works, and how many codes were tried on it. */
    linkHash: text("link_hash"),
    linkExpiresAt: instant("link_expires_at"),
    linkTries: integer("link_tries").notNull().default(0),
    /** Wrong codes on any link since the last right one, and until when none is taken. */
    wrongCodes: integer("wrong_codes").notNull().default(0),
    lockedUntil: instant("locked_until"),
    /** null: invited, and not here yet. */
    acceptedAt: instant("accepted_at"),
    removedAt: instant("removed_at"),
    createdAt: createdAt(),
  },
  (t) => [
    // one person for each address: sign-in by mail
    uniqueIndex("administrators_email").on(t.emailNormalized).where(sql`removed_at is null`),
    // the person behind a mailed link
    uniqueIndex("administrators_link").on(t.linkHash),
    check("administrators_role", oneOf(t.role, ADMIN_ROLES)),
  ],
);
