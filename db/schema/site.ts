import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { LOGO_TYPES, SITE_TEXTS } from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";
import { users } from "./sign-in";

/** Pictures of the operator, such as the logo, by the hash of their bytes. */
export const pictures = pgTable(
  "pictures",
  {
    /** SHA-256 of the bytes, in hexadecimal. */
    hash: text("hash").primaryKey(),
    mediaType: text("media_type", { enum: LOGO_TYPES }).notNull(),
    /** The picture's bytes, in base64. */
    content: text("content").notNull(),
    createdAt: createdAt(),
  },
  (t) => [check("pictures_media_type", oneOf(t.mediaType, LOGO_TYPES))],
);

/** Every version of the operator's texts. Rows never change: an accepted version can always be read again. */
export const siteTexts = pgTable(
  "site_texts",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    name: text("name", { enum: SITE_TEXTS }).notNull(),
    /** 1 for the first version. */
    version: integer("version").notNull(),
    /** Markdown. */
    content: text("content").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    // the newest version of each text
    uniqueIndex("site_texts_version").on(t.name, t.version),
    check("site_texts_name", oneOf(t.name, SITE_TEXTS)),
    check("site_texts_version_positive", sql`${t.version} > 0`),
  ],
);

/** Accepted versions of texts, per person. */
export const textAcceptances = pgTable(
  "text_acceptances",
  {
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    textId: integer("text_id")
      .notNull()
      .references(() => siteTexts.id),
    acceptedAt: instant("accepted_at").notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.textId] }),
    // number of people who accepted each version
    index("text_acceptances_text").on(t.textId),
  ],
);
