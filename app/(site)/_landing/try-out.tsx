import { countWithNoun } from "@/app/_components/figures";
import { TryOutForm } from "@/app/_components/try-out-form";
import { paths } from "@/lib/paths";
import type { TryOutOffer } from "@/lib/settings/try-out-offer";
import { LandingSection } from "./section";

/** The offer of a free key with delayed signals. Shown only if the operator offers try-outs. */
export function TryOut({ offer: { planTitle, delayCandles, days } }: { offer: TryOutOffer }) {
  return (
    <LandingSection
      anchor="try-out"
      title="Free try-out"
      lead={`A free key for the plan ${planTitle}, valid for ${countWithNoun(days, "day")}.`}
    >
      <div className="grid gap-x-12 gap-y-8 md:grid-cols-[1fr_20rem]">
        <ul className="list-disc space-y-2 pl-5 text-muted">
          <li>
            Each signal arrives {countWithNoun(delayCandles, "candle")} late. Most have expired by then, and
            the EA does not trade expired signals.
          </li>
          <li>You can connect your EA, check the connection, and compare signals with the chart.</li>
          <li>After you buy, the same key gets signals at once. You do not need to change your EA.</li>
          <li>
            One try-out per address.{" "}
            <a href={paths.docs("try-out")} className="link">
              What a try-out includes
            </a>
          </li>
        </ul>
        <TryOutForm />
      </div>
    </LandingSection>
  );
}
