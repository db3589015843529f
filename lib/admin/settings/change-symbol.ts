import { isDeepStrictEqual } from "node:util";
import type { Database, DatabaseHandle } from "@/db/client";
import { listCalendarNames } from "@/db/queries/calendars";
import { listSlots } from "@/db/queries/slots";
import { listAliases, lockSymbol, type SymbolSettings, writeSymbol } from "@/db/queries/symbols";
import type { Actor } from "@/lib/runtime/audit";
import type {
  SettingChangePreview,
  SettingChangeResult,
  SettingFormHiddenFields,
} from "@/lib/runtime/setting-change-preview";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { confirmChange } from "@/lib/settings/confirm-change";
import { invalidField } from "@/lib/wire/errors";

/**
 * Stores the properties of a symbol after their preview was confirmed; its calendar no longer counts as guessed. Throws
 * validation_failed for an unknown calendar or an alias of another symbol.
 */
export async function changeSymbol(
  database: Database,
  after: SymbolSettings,
  submitted: SettingFormHiddenFields,
  actor: Actor,
): Promise<SettingChangeResult> {
  const changed = await confirmChange<SymbolSettings | null>(
    database,
    {
      after,
      lock: (tx) => lockSymbol(tx, after.symbol),
      check: async (tx) => {
        await requireCalendar(tx, after.calendar);
        await requireFreeAliases(tx, after);
      },
      preview: (tx, before) => previewSymbol(tx, before, after),
      write: (tx) => writeSymbol(tx, after),
      audit: (before) => ({
        action: before ? "symbol.change" : "symbol.create",
        target: `symbol/${after.symbol}`,
      }),
    },
    submitted,
    actor,
  );
  if (changed.outcome === "stored") await settingsCache().readAgain();
  return changed;
}

/** Throws validation_failed if this calendar does not exist. */
export async function requireCalendar(tx: DatabaseHandle, name: string): Promise<void> {
  const known = await listCalendarNames(tx);
  if (!known.some((calendar) => calendar.name === name))
    throw invalidField("body", "calendar", "must be a calendar");
}

async function requireFreeAliases(handle: DatabaseHandle, after: SymbolSettings): Promise<void> {
  const others = (await listAliases(handle)).filter(({ symbol }) => symbol !== after.symbol);
  const taken = after.aliases.find((alias) => others.some(({ aliases }) => aliases.includes(alias)));
  if (taken !== undefined) throw invalidField("body", "aliases", `${taken} means another symbol already`);
}

async function previewSymbol(
  handle: DatabaseHandle,
  before: SymbolSettings | null,
  after: SymbolSettings,
): Promise<SettingChangePreview> {
  if (!before)
    return { lines: ["A new symbol. Its slots come with the first candles or models."], cutsOff: 0 };
  const slots = (await listSlots(handle)).filter(({ symbol }) => symbol === after.symbol);
  const names = slots.map(({ timeframe }) => timeframe).join(", ") || "none yet";
  const lines = [
    before.calendar !== after.calendar &&
      `It uses the calendar ${after.calendar} instead of ${before.calendar}, which decides when signals are due and stale. Slots: ${names}.`,
    (before.costKind !== after.costKind || before.costValue !== after.costValue) &&
      `A round trip costs ${costWords(after)} instead of ${costWords(before)}, in every result computed from now on; final results do not change.`,
    before.digits !== after.digits &&
      `Prices are shown with ${after.digits} decimals instead of ${before.digits}.`,
    !isDeepStrictEqual(before.aliases, after.aliases) &&
      `Reports with the symbol ${after.aliases.join(", ") || "of another spelling"} are read as ${after.symbol} from now on.`,
    before.isGuessed && !after.isGuessed && "Its trading hours no longer count as guessed.",
  ].filter((line) => line !== false);
  return { lines: lines.length > 0 ? lines : ["Only its description changes."], cutsOff: 0 };
}

const costWords = ({ costKind, costValue }: SymbolSettings) =>
  costKind === "absolute" ? `${costValue} of price` : `${costValue * 100} % of the entry`;
