import type { Metadata } from "next";
import { connection } from "next/server";
import { SimulatedNotice } from "@/app/_components/simulated-mark";
import { asOfLedger } from "@/app/(site)/_record/as-of-ledger";
import { known } from "@/app/(site)/_record/known";
import { db } from "@/db/client";
import { listSlotSignals } from "@/db/queries/signals";
import { listSymbols } from "@/db/queries/slots";
import { readPublicStats } from "@/lib/health/read-public-stats";
import { isMarketOpen } from "@/lib/market/calendar";
import { timeframeMinutes } from "@/lib/market/timeframes";
import { bestEffort } from "@/lib/runtime/best-effort";
import { brand } from "@/lib/runtime/brand";
import { env } from "@/lib/runtime/env";
import { isRecordPublic } from "@/lib/signals/record/is-public";
import { readRecord } from "@/lib/signals/record/read-record";
import { TIMEFRAMES } from "@/lib/vocabulary";
import type { PublicRecord } from "@/lib/wire/contracts/record";
import { delayedSignals } from "./_landing/delayed-signals";
import { readFinishedSignal } from "./_landing/finished-signal";
import { Hero } from "./_landing/hero";
import { Honesty } from "./_landing/honesty";
import { Plans } from "./_landing/plans";
import { PublicFiguresRow } from "./_landing/public-figures";
import { Questions } from "./_landing/questions";
import { RecordBand } from "./_landing/record-band";
import { Risk } from "./_landing/risk";
import { SlotPanel } from "./_landing/slot-panel";
import { Steps } from "./_landing/steps";

export async function generateMetadata(): Promise<Metadata> {
  await connection();
  return { title: { absolute: `${brand().name}: trading signals you can check` } };
}

/** The slots that visitors see, both in every plan, an hour late. */
const SHOWN = [
  { symbol: "EURUSD", timeframe: "H1" },
  { symbol: "XAUUSD", timeframe: "H1" },
] as const;
const DELAY_MINUTES = 60;
const TAPE = 72;

/** The record of all slots since its beginning. */
const WHOLE = {
  symbol: undefined,
  tf_code: undefined,
  model_v: undefined,
  from: undefined,
  to: undefined,
} as const;

async function readShown(now: Date) {
  const [symbols, histories] = await Promise.all([
    listSymbols(db()),
    Promise.all(SHOWN.map((slot) => listSlotSignals(db(), { ...slot, limit: TAPE + 2 }))),
  ]);
  const slots = SHOWN.map((slot, i) => {
    const known = symbols.find((one) => one.symbol === slot.symbol);
    return {
      ...slot,
      marketOpen: known === undefined || isMarketOpen(known.calendar, now),
      signals: delayedSignals(histories[i] ?? [], timeframeMinutes(slot.timeframe), DELAY_MINUTES, now),
    };
  });
  return { slots, symbols };
}

async function readLive(now: Date) {
  const [figures, shown] = await Promise.all([readPublicStats(), readShown(now)]);
  return { figures, ...shown };
}

/** The symbols and timeframes of the record, in words. */
function instrumentsOf({ items }: PublicRecord): string | null {
  if (items.length === 0) return null;
  const symbols = [...new Set(items.map(({ symbol }) => symbol))];
  const present = new Set(items.map((item) => item.tf_code));
  return `${symbols.join(", ")} on ${TIMEFRAMES.filter((timeframe) => present.has(timeframe)).join(", ")}`;
}

/** A complete signal to look at: of the first slot that has one. */
async function newestFinished(symbols: readonly { symbol: string; digits: number }[]) {
  for (const slot of SHOWN) {
    const digits = symbols.find((one) => one.symbol === slot.symbol)?.digits;
    const finished = digits === undefined ? null : await known(readFinishedSignal(slot, digits));
    if (finished !== null) return finished;
  }
  return null;
}

export default async function Landing() {
  await connection();
  const recordShown = await isRecordPublic();
  // While the database is away the figures are left out and the rest of the page is shown.
  const [live, record] = await Promise.all([
    bestEffort(readLive(new Date()), null),
    recordShown ? bestEffort(asOfLedger("record", WHOLE, readRecord), null) : null,
  ]);
  const simulated = env().marketFeed === "demo";
  const symbols = live?.symbols ?? [];
  const finished = recordShown ? await bestEffort(newestFinished(symbols), null) : null;
  return (
    <>
      {simulated && (
        <div className="mx-auto max-w-6xl px-4 pt-6 sm:px-6">
          <SimulatedNotice />
        </div>
      )}
      <Hero
        instruments={record && instrumentsOf(record)}
        shopUrl={brand().shopUrl}
        simulated={simulated}
        finished={finished}
        recordShown={recordShown}
      />
      {live && (
        <div className="mx-auto max-w-6xl space-y-6 px-4 pb-20 sm:px-6">
          <h2 className="sr-only">The service at this moment</h2>
          {record && <RecordBand record={record} />}
          <PublicFiguresRow
            figures={live.figures.stats}
            at={live.figures.at}
            uptimeSince={live.figures.uptimeSince}
          />
          <div className="grid gap-6 lg:grid-cols-2">
            {live.slots.map((slot) => (
              <SlotPanel key={slot.symbol} {...slot} delayMinutes={DELAY_MINUTES} simulated={simulated} />
            ))}
          </div>
        </div>
      )}
      <Steps />
      <Honesty recordShown={recordShown} />
      <Plans shopUrl={brand().shopUrl} />
      <Questions />
      <Risk />
    </>
  );
}
