import type { Metadata } from "next";
import { connection } from "next/server";
import { SimulatedNotice } from "@/app/_components/simulated-mark";
import { cacheByLedgerSize } from "@/app/(site)/_record/cache-by-ledger-size";
import { TradingFigures } from "@/app/(site)/_record/trading-figures";
import { db } from "@/db/client";
import { listChampions } from "@/db/queries/models";
import { listSymbols } from "@/db/queries/slots";
import { plans } from "@/lib/access/plans";
import { isDemoHistoryGrowing } from "@/lib/health/is-demo-history-growing";
import { readPublicStats } from "@/lib/health/read-public-stats";
import { contactAddress } from "@/lib/outbound/mail/contact";
import { hasTelegramBot } from "@/lib/outbound/telegram/bot-api";
import { paths } from "@/lib/paths";
import { bestEffort } from "@/lib/runtime/best-effort";
import { brand } from "@/lib/runtime/brand";
import { tryOutOffer } from "@/lib/settings/try-out-offer";
import { isRecordPublic } from "@/lib/signals/record/is-public";
import { readRecord } from "@/lib/signals/record/read-record";
import { readNewestTrades, tradeFiguresOf } from "@/lib/signals/record/read-trades";
import { isDemonstration } from "@/lib/signals/record/record-rule";
import { TIMEFRAMES, type Timeframe } from "@/lib/vocabulary";
import { listDelayedSignals, slotsForVisitors } from "./_landing/delayed-signals";
import { findExampleSignal } from "./_landing/finished-signal";
import { Hero } from "./_landing/hero";
import { HowResultsAreShown } from "./_landing/how-results-are-shown";
import { LatestSignals } from "./_landing/latest-signals";
import { Plans } from "./_landing/plans";
import { PublicFiguresRow } from "./_landing/public-figures";
import { Questions } from "./_landing/questions";
import { ResolvedSignal } from "./_landing/resolved-signal";
import { ResultCard } from "./_landing/result-card";
import { Risk } from "./_landing/risk";
import { Steps } from "./_landing/steps";
import { TryOut } from "./_landing/try-out";

export async function generateMetadata(): Promise<Metadata> {
  await connection();
  const what = isDemonstration() ? "a demo with simulated signals" : "trading signals you can check";
  return { title: { absolute: `${brand().name}: ${what}` } };
}

const EVERY_SLOT = { symbol: undefined, tf_code: undefined, model_v: undefined } as const;
/** The query of the record for all slots, all models and the whole period. */
const WHOLE = { ...EVERY_SLOT, from: undefined, to: undefined } as const;

const DEFAULT_DIGITS = 5;

async function readLive(now: Date) {
  const offered = plans().filter(({ isShown }) => isShown);
  const [figures, champions] = await Promise.all([readPublicStats(), listChampions(db())]);
  return {
    figures,
    instruments: instrumentsOf(champions),
    latest: await listDelayedSignals(db(), slotsForVisitors(champions, offered), now),
  };
}

async function readResults() {
  const [record, trades, symbols] = await Promise.all([
    cacheByLedgerSize("record", WHOLE, readRecord),
    cacheByLedgerSize("trades", EVERY_SLOT, readNewestTrades),
    listSymbols(db()),
  ]);
  const digits = new Map(symbols.map((row) => [row.symbol, row.digits]));
  const finished = await cacheByLedgerSize("finished", WHOLE, () =>
    findExampleSignal(trades, (symbol) => digits.get(symbol) ?? DEFAULT_DIGITS),
  );
  return { record, trades, finished };
}

/** Symbols and timeframes that have a model in use, such as `EURUSD, XAUUSD on H1, H4`; null without any. */
function instrumentsOf(champions: readonly { symbol: string; timeframe: Timeframe }[]): string | null {
  if (champions.length === 0) return null;
  const symbols = [...new Set(champions.map(({ symbol }) => symbol))];
  const present = new Set(champions.map(({ timeframe }) => timeframe));
  return `${symbols.join(", ")} on ${TIMEFRAMES.filter((timeframe) => present.has(timeframe)).join(", ")}`;
}

/**
 * Where the plans on offer deliver signals, as a phrase such as `MetaTrader 4 and 5, or any program that speaks HTTP`.
 * Plans with Telegram include Discord, which needs no setup by the operator.
 */
function platformsOf(offered: readonly { telegram: boolean }[], listsTelegram: boolean): string {
  const chats = offered.some(({ telegram }) => telegram)
    ? `${listsTelegram ? "Telegram, " : ""}Discord, `
    : "";
  return `MetaTrader 4 and 5, ${chats}or any program that speaks HTTP`;
}

export default async function Landing() {
  await connection();
  const [recordShown, offer] = await Promise.all([isRecordPublic(), tryOutOffer()]);
  // Without a database the page is shown without figures.
  const [live, results] = await Promise.all([
    bestEffort(readLive(new Date()), null),
    recordShown ? bestEffort(readResults(), null) : null,
  ]);
  const simulated = isDemonstration();
  const listsTelegram = hasTelegramBot();
  const { shopUrl } = brand();
  const record = results !== null && results.record.total.model.n > 0 ? results.record : null;
  const finished = results?.finished ?? null;
  const latest = live?.latest ?? [];
  const stats = live?.figures.stats;
  return (
    <>
      {simulated && (
        <div className="mx-auto max-w-6xl px-4 pt-4 sm:px-6">
          <SimulatedNotice isGrowing={await isDemoHistoryGrowing()} />
        </div>
      )}
      <Hero
        instruments={live?.instruments ?? null}
        platforms={platformsOf(
          plans().filter(({ isShown }) => isShown),
          listsTelegram,
        )}
        shopUrl={shopUrl}
        simulated={simulated}
        recordShown={recordShown}
        result={record && <ResultCard record={record} />}
      />
      <div className="mx-auto max-w-6xl space-y-6 px-4 pb-16 empty:hidden sm:px-6">
        {record && (
          <section aria-label="What traders ask first" className="space-y-3">
            <TradingFigures record={record} trades={tradeFiguresOf(results?.trades ?? [])} />
            <p className="text-sm text-muted">
              More in the{" "}
              <a href={paths.record()} className="link">
                record
              </a>
              : months, every slot, and the last 20 trades with their outcome.
            </p>
          </section>
        )}
        {(finished || latest.length > 0) && (
          <section aria-labelledby="signals" className="grid items-start gap-6 lg:grid-cols-2">
            <h2 id="signals" className="sr-only">
              Signals
            </h2>
            {finished && <ResolvedSignal finished={finished} />}
            {latest.length > 0 && <LatestSignals signals={latest} recordShown={recordShown} />}
          </section>
        )}
        {live && stats && stats.total_signals_24h > 0 && (
          <PublicFiguresRow figures={stats} at={live.figures.at} uptimeSince={live.figures.uptimeSince} />
        )}
      </div>
      {offer && <TryOut offer={offer} />}
      <Plans
        shopUrl={shopUrl}
        simulated={simulated}
        listsTelegram={listsTelegram}
        record={record}
        contact={contactAddress()}
      />
      <Steps />
      <HowResultsAreShown recordShown={recordShown} simulated={simulated} />
      <Questions />
      <Risk />
    </>
  );
}
