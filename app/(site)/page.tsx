import { SimulatedNotice } from "../_components/simulated-mark";
import { Hero } from "./_landing/hero";
import { Honesty } from "./_landing/honesty";
import { Plans } from "./_landing/plans";
import { PublicFiguresRow } from "./_landing/public-figures";
import { Questions } from "./_landing/questions";
import { Risk } from "./_landing/risk";
import { SlotPanel } from "./_landing/slot-panel";
import { Steps } from "./_landing/steps";

export const metadata = { title: { absolute: "Signal Delivery Service: trading signals you can check" } };

export default function Landing() {
  const now = new Date();
  const demo = Array.from({ length: 96 }, (_, i) => ({
    at: new Date(now.getTime() - (98 - i) * 3_600_000),
    direction:
      (["NO_TRADE", "BUY", "NO_TRADE", "NO_TRADE", "SELL", "NO_TRADE", "BUY"] as const)[
        (i * i + (i >> 3)) % 7
      ] ?? "BUY",
    confidence: 0.4 + ((i * 37) % 30) / 100,
  }));
  return (
    <>
      <Hero
        shown={{
          symbol: "EURUSD",
          timeframe: "H1",
          ts: now,
          signal: "BUY",
          confidence: 0.5812,
          regime: "TREND_UP",
          expectedRr: 1.6,
        }}
      />
      <div className="mx-auto max-w-6xl space-y-6 px-4 pb-20 sm:px-6">
        <SimulatedNotice />
        <div className="grid gap-6 lg:grid-cols-2">
          <SlotPanel symbol="EURUSD" timeframe="H1" signals={demo} delayMinutes={60} simulated />
          <SlotPanel symbol="XAUUSD" timeframe="H4" signals={demo.slice(0, 60)} delayMinutes={60} simulated />
        </div>
        <PublicFiguresRow
          at={now}
          figures={{
            active_models: 15,
            total_signals_24h: 300,
            directional_signals_24h: 41,
            monitored_pairs: 5,
            uptime_pct_30d: 100,
          }}
        />
      </div>
      <Steps />
      <Honesty />
      <Plans />
      <Questions />
      <Risk />
    </>
  );
}
