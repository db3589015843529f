import { Section } from "./section";

export function Risk() {
  return (
    <Section title="Before you risk money">
      <div className="max-w-[62ch] space-y-4 text-muted">
        <p>
          Leveraged trading can cost you everything you put in, and faster than you think. Most private
          accounts lose. A model that was right for a year can be wrong from tomorrow on, and no figure on
          this site says otherwise.
        </p>
        <p>
          Signals are not advice to you: nobody here knows your means, your aims or your other positions. Try
          the kit on a demo account, risk little per position, and stop when the record stops making sense to
          you.
        </p>
      </div>
    </Section>
  );
}
