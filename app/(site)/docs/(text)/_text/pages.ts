import type { ReactNode } from "react";
import { DOCS_PAGES } from "@/app/(site)/docs/(text)/_parts/contents";
import Agents from "@/app/(site)/docs/(text)/agents/page";
import Authentication from "@/app/(site)/docs/(text)/authentication/page";
import EaKit from "@/app/(site)/docs/(text)/ea-kit/page";
import Errors from "@/app/(site)/docs/(text)/errors/page";
import Executions from "@/app/(site)/docs/(text)/executions/page";
import Glossary from "@/app/(site)/docs/(text)/glossary/page";
import Limits from "@/app/(site)/docs/(text)/limits/page";
import Live from "@/app/(site)/docs/(text)/live/page";
import MetaTrader from "@/app/(site)/docs/(text)/metatrader/page";
import Operations from "@/app/(site)/docs/(text)/operations/page";
import QuickStart from "@/app/(site)/docs/(text)/page";
import Reference from "@/app/(site)/docs/(text)/reference/page";
import Signals from "@/app/(site)/docs/(text)/signals/page";
import Telegram from "@/app/(site)/docs/(text)/telegram/page";
import Webhooks from "@/app/(site)/docs/(text)/webhooks/page";
import WebhooksOut from "@/app/(site)/docs/(text)/webhooks-out/page";
import { type DocsPage, paths } from "@/lib/paths";
import { type Block, readBlocks } from "./read-blocks";

const PAGES: Record<DocsPage | "index", () => ReactNode | Promise<ReactNode>> = {
  index: QuickStart,
  agents: Agents,
  authentication: Authentication,
  "ea-kit": EaKit,
  errors: Errors,
  executions: Executions,
  glossary: Glossary,
  limits: Limits,
  live: Live,
  metatrader: MetaTrader,
  operations: Operations,
  reference: Reference,
  signals: Signals,
  telegram: Telegram,
  webhooks: Webhooks,
  "webhooks-out": WebhooksOut,
};

/** One page of the documentation as text. */
export interface DocsText {
  href: string;
  label: string;
  blocks: Block[];
}

/** The text of a page; null for a name that no page has. */
export async function readDocsText(name: string): Promise<DocsText | null> {
  if (!Object.hasOwn(PAGES, name)) return null;
  // A key of PAGES: see above.
  const page = name as keyof typeof PAGES;
  const href = paths.docs(page === "index" ? undefined : page);
  const label = DOCS_PAGES.find((entry) => entry.href === href)?.label ?? name;
  return { href, label, blocks: await readBlocks(await PAGES[page]()) };
}

/** All of the documentation as text. */
export async function readAllDocsTexts(): Promise<DocsText[]> {
  const texts = await Promise.all(Object.keys(PAGES).map(readDocsText));
  return texts.filter((text) => text !== null);
}

/** A page in Markdown, with whole addresses in its links. */
export function toMarkdown({ blocks }: DocsText, baseUrl: string): string {
  const written = blocks.map((block) => {
    if (block.kind === "heading") return `${"#".repeat(block.level)} ${block.text}`;
    return block.kind === "code" ? `${block.name}:\n\n\`\`\`\n${block.code}\n\`\`\`` : block.text;
  });
  return `${written.join("\n\n").replaceAll(/\]\(\//g, `](${baseUrl}/`)}\n`;
}
