import { LRUCache } from "lru-cache";
import { db } from "@/db/client";
import { findSiteText } from "@/db/queries/site";
import { contactAddress } from "@/lib/outbound/mail/contact";
import { type Brand, brand } from "@/lib/runtime/brand";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { settingsCache } from "@/lib/runtime/settings-cache";
import type { SiteTextName } from "@/lib/vocabulary";
import { TEMPLATES } from "./templates";

/** A text as shown to visitors. */
export interface CurrentText {
  /** Markdown with its placeholders filled in. */
  content: string;
  /** null: the template is shown. */
  version: { number: number; at: Date } | null;
}

/** Cache of text versions. A version never changes, so a cached one is not read again. */
const versions = () =>
  processWide("site-texts", () => new LRUCache<number, { content: string; at: Date }>({ max: 32 }));

/** The text in force: its newest version, or the template. */
export async function currentText(name: SiteTextName): Promise<CurrentText> {
  const newest = (await settingsCache().get()).texts.find((text) => text.name === name);
  if (newest === undefined) return { content: fillPlaceholders(templateOf(name)), version: null };
  const { content, at } = await readVersion(newest.id);
  return { content: fillPlaceholders(content), version: { number: newest.version, at } };
}

async function readVersion(id: number): Promise<{ content: string; at: Date }> {
  const known = versions().get(id);
  if (known) return known;
  const found = await findSiteText(db(), id);
  if (!found) throw new Error(`the text ${id} is gone`);
  const read = { content: found.content, at: found.createdAt };
  versions().set(id, read);
  return read;
}

/** The template that is shown until the operator has written this text. */
export const templateOf = (name: SiteTextName): string => TEMPLATES[name];

/** Placeholder names that a text may use between double braces. */
export const PLACEHOLDERS = ["service", "site", "support", "contact", "shop"] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];
const isPlaceholder = (name: string): name is Placeholder => PLACEHOLDERS.some((known) => known === name);

/** Names between double braces that are not placeholders. */
export const unknownPlaceholders = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !isPlaceholder(name)),
  ),
];

/** A text with its placeholders filled in. */
export function fillPlaceholders(text: string, by: Brand = brand(), site = env().baseUrl): string {
  const { name, supportAddress, shopUrl } = by;
  const contact = contactAddress(by);
  const filled: Record<Placeholder, string> = {
    service: name,
    site,
    support: supportAddress ?? "",
    contact:
      contact === null ? "The operator has not configured a contact address yet." : `Write to <${contact}>.`,
    shop: shopUrl === null ? "" : ` (${shopUrl})`,
  };
  return text.replaceAll(/\{\{\s*([^{}]*?)\s*\}\}/g, (whole, name: string) =>
    isPlaceholder(name) ? filled[name] : whole,
  );
}
