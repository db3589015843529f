import { LinkButton } from "@/app/_components/button";
import { isoSeconds } from "@/app/_components/times";
import { paths } from "@/lib/paths";
import type { DelayedSignal } from "./delayed-signals";

/** One item of GET /api/signals/{symbol}/{tf}, as delivered. */
export interface ShownSignal extends DelayedSignal {
  symbol: string;
  timeframe: string;
}

/** The offer in short: what a subscriber receives, its fields, and that it can be checked. */
export function Hero({ shown }: { shown: ShownSignal | null }) {
  return (
    <div className="mx-auto grid max-w-6xl items-center gap-x-16 gap-y-12 px-4 pt-16 pb-12 sm:px-6 sm:pt-24 sm:pb-16 lg:grid-cols-[1fr_24rem]">
      <div>
        <h1 className="max-w-[13ch] text-4xl font-semibold tracking-[-0.035em]">
          Signals your EA follows, and you can check.
        </h1>
        <p className="mt-6 max-w-[54ch] text-lg text-muted">
          One answer per symbol and timeframe: buy, sell or stay out, with the probability of each. Your
          trading client reads it over a plain JSON interface and reports what it did. Every result we show
          comes with its sample.
        </p>
        <div className="mt-8 flex flex-wrap gap-3">
          <LinkButton href={paths.docs()} variant="primary" size="large">
            Start in five minutes
          </LinkButton>
          <LinkButton href={paths.docs("ea-kit")} size="large">
            Get the MetaTrader kit
          </LinkButton>
        </div>
      </div>
      {shown && <SignalOnTheWire shown={shown} />}
    </div>
  );
}

/** The same signal that the panels below show, in the form in which a client gets it. */
function SignalOnTheWire({ shown }: { shown: ShownSignal }) {
  const fields: [string, string][] = [
    ["ts", `"${isoSeconds(shown.at)}"`],
    ["signal", `"${shown.direction}"`],
    ["confidence", String(Number(shown.confidence.toFixed(6)))],
    ["regime", `"${shown.regime}"`],
    ["expected_rr", String(shown.expectedRr)],
  ];
  return (
    <figure className="min-w-0 overflow-hidden rounded-lg border bg-raised font-mono text-[0.8125rem] leading-6">
      <figcaption className="border-b bg-sunken/50 px-5 py-3 text-muted">
        <span className="text-faint">GET</span> /api/signals/{shown.symbol}/{shown.timeframe}
      </figcaption>
      <pre className="overflow-x-auto px-5 py-4">
        <code>
          <span className="text-faint">{"{"}</span>
          {fields.map(([name, value], index) => (
            <span key={name} className="block pl-4">
              <span className="text-muted">{`"${name}": `}</span>
              {value}
              {index < fields.length - 1 && <span className="text-faint">,</span>}
            </span>
          ))}
          <span className="text-faint">{"}"}</span>
        </code>
      </pre>
    </figure>
  );
}
