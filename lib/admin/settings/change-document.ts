import { isDeepStrictEqual } from "node:util";
import type { Database, Handle } from "@/db/client";
import { countDelivered, countEnding, countEndingWithin } from "@/db/queries/setting-facts";
import { lockSettings, readSetting, writeSetting } from "@/db/queries/settings";
import { listProductionStates } from "@/db/queries/slots";
import { isBaseline, readBaselineSettings } from "@/lib/models/producer/baseline-settings";
import { readNoticeDays } from "@/lib/outbound/mail/notice-days";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { type Asked, type Changed, isOvertaken, previewMark } from "@/lib/runtime/preview";
import {
  DowntimeCredit,
  type EndNotice,
  PaymentEvents,
  UnmappedProduct,
} from "@/lib/runtime/setting-documents";
import { invalidField } from "@/lib/wire/errors";

/** Settings that are one document each, under the names that they are stored by. */
export interface SettingDocuments {
  end_notice: EndNotice;
  downtime_credit: DowntimeCredit;
  payment_events: PaymentEvents;
  unmapped_product: UnmappedProduct;
  baseline: Awaited<ReturnType<typeof readBaselineSettings>>;
}

/** One of them as it shall be. */
export type DocumentChange = {
  [K in keyof SettingDocuments]: { of: K; after: SettingDocuments[K] };
}[keyof SettingDocuments];

/** The documents in force, with the default of each that was never written. */
export async function readDocuments(handle: Handle): Promise<SettingDocuments> {
  const [days, credit, events, unmapped, baseline] = await Promise.all([
    readNoticeDays(handle),
    readSetting<unknown>(handle, "downtime_credit"),
    readSetting<unknown>(handle, "payment_events"),
    readSetting<unknown>(handle, "unmapped_product"),
    readBaselineSettings(handle),
  ]);
  return {
    end_notice: { days },
    downtime_credit: DowntimeCredit.parse(credit),
    payment_events: PaymentEvents.parse(events),
    unmapped_product: UnmappedProduct.parse(unmapped),
    baseline,
  };
}

/** Why a document cannot be stored, by the field; null: it can. */
export function documentProblem(change: DocumentChange): { field: string; text: string } | null {
  if (change.of !== "payment_events") return null;
  const { failed, chargebackWon } = change.after;
  const both = chargebackWon.find((name) => failed.includes(name));
  return both === undefined
    ? null
    : { field: "chargeback_won", text: `must not name ${both}: that is a failed payment` };
}

/** Stores a document, once what that does was confirmed. Each is read anew whenever it is needed, on every instance. */
export async function changeDocument(
  database: Database,
  change: DocumentChange,
  asked: Asked,
  actor: Actor,
): Promise<Changed> {
  const problem = documentProblem(change);
  if (problem) throw invalidField("body", problem.field, problem.text);
  return database.transaction(async (tx): Promise<Changed> => {
    await lockSettings(tx);
    const stored = await readDocuments(tx);
    const before = stored[change.of];
    if (isOvertaken(asked, before)) return { outcome: "overtaken" };
    if (isDeepStrictEqual(before, change.after)) return { outcome: "unchanged" };
    const preview = { lines: await previewLines(tx, stored, change), cutsOff: 0 };
    // How many it touches changes by itself: only the change has to be the one that was shown.
    const mark = previewMark({ before, after: change.after, preview: { lines: [], cutsOff: 0 } });
    if (asked.mark !== mark) return { outcome: "previewed", preview, mark };
    await writeDocument(tx, change);
    await recordAudit(tx, {
      actor,
      action: "setting.change",
      target: `setting/${change.of}`,
      details: { before, after: change.after },
    });
    return { outcome: "stored" };
  });
}

/** Writes a document without asking. */
export const writeDocument = (handle: Handle, { of, after }: DocumentChange): Promise<void> =>
  writeSetting(handle, of, after);

async function previewLines(
  handle: Handle,
  stored: SettingDocuments,
  change: DocumentChange,
): Promise<string[]> {
  switch (change.of) {
    case "end_notice": {
      const [most = 0] = change.after.days;
      const n = await countEndingWithin(handle, most);
      return [
        `Subscribers are mailed ${change.after.days.join(", ")} days before the end of their access, instead of ${stored.end_notice.days.join(", ")}.`,
        `${subscribers(n)} now within ${counted(most, "day")} of the end. Each is mailed once for each of these days that is yet to come.`,
      ];
    }
    case "downtime_credit": {
      const { enabled, thresholdMinutes, share, previewHours } = change.after;
      if (!enabled)
        return [
          "Lost market time is not given back any more. Credits that are proposed already are given all the same, unless they are declined.",
        ];
      return [
        `After each month, ${subscribers(await countEnding(handle), "with an end of access")} looked at: more than ${counted(thresholdMinutes, "minute")} in which ${percent(share)} of the slots of the plan had no fresh signal are given back.`,
        `What is found can be looked at for ${counted(previewHours, "hour")} before it is given. It holds from the month that runs now; credits that are proposed already stay as they are.`,
      ];
    }
    case "payment_events": {
      const { failed, chargebackWon, failureGraceDays } = change.after;
      const { named } = await countDelivered(handle, [...failed, ...chargebackWon]);
      return [
        `A failed payment is called ${namesOf(failed)}; a chargeback that was won ${namesOf(chargebackWon)}. ${counted(named, "delivery", "deliveries")} of the last 30 days had one of these names. Platforms with an adapter of their own are not touched.`,
        `After a failed payment for what is no known product a key lasts at least ${counted(failureGraceDays, "day")} more, instead of ${stored.payment_events.failureGraceDays}.`,
      ];
    }
    case "unmapped_product": {
      const { days, graceDays } = change.after;
      const { unmapped } = await countDelivered(handle, []);
      return [
        `A payment for a product that is not in the table buys ${counted(days, "day")} with ${counted(graceDays, "day")} of grace, instead of ${stored.unmapped_product.days} with ${stored.unmapped_product.graceDays}, from the next delivery on.`,
        `${counted(unmapped, "delivery", "deliveries")} of the last 30 days ${unmapped === 1 ? "was" : "were"} for such a product.`,
      ];
    }
    case "baseline": {
      const served = (await listProductionStates(handle)).filter(({ modelV }) => isBaseline(modelV)).length;
      return [
        `${counted(served, "slot")} ${served === 1 ? "is" : "are"} served by the baseline, and the signals of their next candles are made by this. Signals that are given out stay as they are.`,
        "The model keeps its name: what is measured of it from now on is measured of both settings together.",
      ];
    }
  }
}

const counted = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
const subscribers = (n: number, which = "") =>
  `${counted(n, "subscriber")}${which && ` ${which}`} ${n === 1 ? "is" : "are"}`;
const percent = (share: number) => `${Number((share * 100).toFixed(6))} %`;
const namesOf = (names: readonly string[]) => (names.length === 0 ? "nothing" : names.join(", "));
