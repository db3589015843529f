import { sql } from "drizzle-orm";
import { bigint, check, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { ADMIN_ROLES } from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";

/** People who administer the service. Removed ones are kept, because the audit log refers to them. */
export const administrators = pgTable(
  "administrators",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    name: text("name").notNull(),
    /** The address as it was entered, to which mails are sent. */
    email: text("email").notNull(),
    emailNormalized: text("email_normalized").notNull(),
    role: text("role", { enum: ADMIN_ROLES }).notNull(),
    /** The secret of the second factor, encrypted. */
    totpSecretEncrypted: text("totp_secret_encrypted").notNull(),
    /** The 30-second step of the last used code: codes of this step and earlier ones are refused. */
    totpStep: bigint("totp_step", { mode: "number" }).notNull().default(0),
    /** SHA-256 of the unused recovery codes. */
    recoveryHashes: text("recovery_hashes").array().notNull().default(sql`'{}'::text[]`),
    /** SHA-256 of the token of the administrator's current sign-in or invitation link. */
    linkHash: text("link_hash"),
    linkExpiresAt: instant("link_expires_at"),
    /** Number of wrong codes that were entered with the current link. */
    linkTries: integer("link_tries").notNull().default(0),
    /** Number of consecutive wrong codes over all links. Too many set `locked_until`, and the count begins again at 0. */
    wrongCodes: integer("wrong_codes").notNull().default(0),
    lockedUntil: instant("locked_until"),
    /** When the person accepted the invitation; null: not yet. */
    acceptedAt: instant("accepted_at"),
    removedAt: instant("removed_at"),
    createdAt: createdAt(),
  },
  (t) => [
    // at most one administrator per address; sign-in by mail
    uniqueIndex("administrators_email").on(t.emailNormalized).where(sql`removed_at is null`),
    // find an administrator by the token of a mailed link
    uniqueIndex("administrators_link").on(t.linkHash),
    check("administrators_role", oneOf(t.role, ADMIN_ROLES)),
  ],
);
