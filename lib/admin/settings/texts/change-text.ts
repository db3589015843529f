import type { Database, Handle } from "@/db/client";
import { countHolders } from "@/db/queries/plans";
import { addTextVersion, listTextVersions, lockTexts } from "@/db/queries/site";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { operated } from "@/lib/runtime/operated";
import { type Asked, type Changed, isOvertaken, type Preview, previewMark } from "@/lib/runtime/preview";
import { ACCEPTED_TEXTS, type SiteTextName } from "@/lib/vocabulary";
import { invalidField } from "@/lib/wire/errors";
import { PLACEHOLDERS, templateOf, unknownPlaceholders } from "./current-text";

export const MAX_TEXT = 50_000;

/** Whether subscribers are asked to accept a text. */
export const asksAcceptance = (name: SiteTextName): boolean => ACCEPTED_TEXTS.some((text) => text === name);

/** Adds the next version of a text, once what that does was confirmed. Former versions stay. */
export async function changeText(
  database: Database,
  { name, content }: { name: SiteTextName; content: string },
  asked: Asked,
  actor: Actor,
): Promise<Changed> {
  const problem = textProblem(content);
  if (problem !== null) throw invalidField("body", "content", problem);
  const changed = await database.transaction(async (tx): Promise<Changed> => {
    await lockTexts(tx);
    const [newest] = await listTextVersions(tx, name);
    if (isOvertaken(asked, newest?.version ?? 0)) return { outcome: "overtaken" };
    if (newest?.content === content) return { outcome: "unchanged" };
    const preview = await previewText(tx, name, newest?.version ?? 0);
    const mark = previewMark({ before: newest?.version ?? 0, after: content, preview });
    if (asked.mark !== mark) return { outcome: "previewed", preview, mark };
    const version = await addTextVersion(tx, name, content);
    await recordAudit(tx, {
      actor,
      action: "text.change",
      target: `text/${name}/${version}`,
      details: { before: newest?.content ?? templateOf(name), after: content },
    });
    return { outcome: "stored" };
  });
  if (changed.outcome === "stored") await operated().readAgain();
  return changed;
}

/** Why a text cannot be stored; null: it can. */
export function textProblem(content: string): string | null {
  const [unknown] = unknownPlaceholders(content);
  if (unknown === undefined) return null;
  return `must not hold {{${unknown}}}; there are ${PLACEHOLDERS.map((known) => `{{${known}}}`).join(", ")}`;
}

async function previewText(handle: Handle, name: SiteTextName, former: number): Promise<Preview> {
  const holders = [...(await countHolders(handle)).values()].reduce((sum, n) => sum + n, 0);
  const lines = [
    `It becomes version ${former + 1}.${former > 0 ? ` Version ${former} is kept.` : " It is no template any more."}`,
    asksAcceptance(name) &&
      `${holders} subscriber${holders === 1 ? "" : "s"} with access would be asked to accept it, once, at the next visit to the portal. Their keys go on working.`,
  ].filter((line) => line !== false);
  return { lines, cutsOff: 0 };
}
