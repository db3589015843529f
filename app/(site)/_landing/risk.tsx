import { LandingSection } from "./section";

export function Risk() {
  return (
    <LandingSection title="Before you risk money">
      <div className="max-w-[62ch] space-y-4 text-muted">
        <p>
          Leveraged trading can cost you everything you put in, faster than you expect. Most private accounts
          lose money. A model that was right for a year can be wrong from tomorrow, and no figure on this site
          says otherwise.
        </p>
        <p>
          Signals are not personal advice: we do not know your means, your goals or your other positions. Try
          the kit on a demo account, risk little per position, and stop when the record no longer convinces
          you.
        </p>
      </div>
    </LandingSection>
  );
}
