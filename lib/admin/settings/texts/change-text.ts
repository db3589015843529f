import type { Database, DatabaseHandle } from "@/db/client";
import { countPlanHolders } from "@/db/queries/plans";
import { addTextVersion, listTextVersions, lockSiteTexts, type SiteText } from "@/db/queries/site";
import type { Actor } from "@/lib/runtime/audit";
import type {
  SettingChangePreview,
  SettingChangeResult,
  SettingFormHiddenFields,
} from "@/lib/runtime/setting-change-preview";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { confirmChange } from "@/lib/settings/confirm-change";
import { type SiteTextName, TEXTS_TO_ACCEPT } from "@/lib/vocabulary";
import { invalidField } from "@/lib/wire/errors";
import { PLACEHOLDERS, templateOf, unknownPlaceholders } from "./current-text";
import { TEMPLATE_MARKER } from "./templates";

export const MAX_SITE_TEXT_LENGTH = 50_000;

/** Whether subscribers must accept a text. */
export const requiresAcceptance = (name: SiteTextName): boolean =>
  TEXTS_TO_ACCEPT.some((text) => text === name);

/**
 * Stores the next version of a text after its preview was confirmed. Former versions stay. Throws validation_failed for
 * an invalid text.
 */
export async function changeText(
  database: Database,
  { name, content }: { name: SiteTextName; content: string },
  submitted: SettingFormHiddenFields,
  actor: Actor,
): Promise<SettingChangeResult> {
  const problem = siteTextProblem(content);
  if (problem !== null) throw invalidField("body", "content", problem);
  let newest: SiteText | undefined;
  let added = 0;
  const changed = await confirmChange<string | null>(
    database,
    {
      after: content,
      lock: async (tx) => {
        await lockSiteTexts(tx);
        [newest] = await listTextVersions(tx, name);
        return newest?.content ?? null;
      },
      filledFrom: () => newest?.version ?? 0,
      preview: (tx) => previewText(tx, name, newest?.version ?? 0),
      write: async (tx) => {
        added = await addTextVersion(tx, name, content);
      },
      audit: (before) => ({
        action: "text.change",
        target: `text/${name}/${added}`,
        details: { before: before ?? templateOf(name), after: content },
      }),
    },
    submitted,
    actor,
  );
  if (changed.outcome === "stored") await settingsCache().readAgain();
  return changed;
}

/** Why a text is invalid; null: it is valid. */
export function siteTextProblem(content: string): string | null {
  if (content.includes(TEMPLATE_MARKER))
    return `must not contain the template's sentence "${TEMPLATE_MARKER} ..."`;
  const [unknown] = unknownPlaceholders(content);
  if (unknown === undefined) return null;
  return `must not contain {{${unknown}}}; use ${PLACEHOLDERS.map((known) => `{{${known}}}`).join(", ")}`;
}

async function previewText(
  handle: DatabaseHandle,
  name: SiteTextName,
  former: number,
): Promise<SettingChangePreview> {
  const holders = [...(await countPlanHolders(handle)).values()].reduce((sum, n) => sum + n, 0);
  const lines = [
    `It becomes version ${former + 1}.${former > 0 ? ` Version ${former} is kept.` : " It replaces the template."}`,
    requiresAcceptance(name) &&
      `${holders} subscriber${holders === 1 ? "" : "s"} with access would be asked to accept it, once, at the next visit to the portal. Their keys keep working.`,
  ].filter((line) => line !== false);
  return { lines, cutsOff: 0 };
}
