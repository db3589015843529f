import { Link } from "@/app/_components/link";
import { Article } from "@/app/(site)/docs/(text)/_parts/article";
import { Facts } from "@/app/(site)/docs/(text)/_parts/facts";
import { paths } from "@/lib/paths";

export const metadata = {
  title: "Signals",
  description: "What a signal says, when it is made and when it is too old.",
};

export default function Signals() {
  return (
    <Article
      page="signals"
      title="Signals"
      lead="A slot is a symbol with a timeframe. Each time a candle of the slot closes, its model gives one signal, which never changes afterwards."
    >
      <h2 id="scan">The newest of each slot</h2>
      <p>
        <code>GET /api/scan</code> answers with all slots of your plan at once. Ask once a minute; more brings
        nothing, because signals come when candles close. The answer carries an <code>ETag</code>: send it
        back in <code>If-None-Match</code> and an unchanged list costs you a 304 without a body. To have a
        signal within a second, <Link href={paths.docs("live")}>wait or stream</Link>.
      </p>
      <Facts
        caption="Fields of a signal"
        headers={["Field", "Meaning"]}
        rows={[
          ["symbol, timeframe", "The slot, for example EURUSD and H1."],
          [
            "signal",
            "BUY or SELL where the model expects that direction to pay after costs; otherwise NO_TRADE, even when one side is the likelier.",
          ],
          ["confidence", "0 to 1: how sure the model is of that."],
          [
            "prob_buy, prob_sell, prob_no",
            "0 to 1 each: which of the two barriers is reached first, or neither.",
          ],
          ["regime", "TREND_UP, TREND_DOWN, RANGE, VOLATILE or UNKNOWN. Other words may be added."],
          ["expected_rr", "Reward for a risk of 1: the distance of the target, measured in stops."],
          ["ts", "Open time of the closed candle that the signal was made from, UTC."],
          ["model_v", "Version of the model that made it."],
        ]}
      />
      <h2 id="validity">How old is too old</h2>
      <p>
        With <code>?expand=validity</code> each item also has <code>pred_id</code>, to name the signal in your
        report; <code>valid_until</code>; <code>age_minutes</code>; and <code>stale</code>. A signal is stale
        when its candle closed more than one timeframe and 15 minutes ago, or what the operator set for that
        slot instead of the 15 minutes. Only minutes in which the market was open count, so that a signal of
        Friday evening is not stale on Sunday night. <strong>Do not follow stale signals.</strong>
      </p>
      <h2 id="range">How far, by when</h2>
      <p>
        With <code>?expand=range</code> each item also has <code>range</code>: how far the price is said to
        move within the 12 candles after the signal&apos;s, in price, above and below its close and either
        way. <code>p80</code> is the distance that 8 of 10 moves stay within. It says nothing about the
        direction and stands beside NO_TRADE too. It is made a moment after the signal and is{" "}
        <code>null</code> until then. <code>GET /api/calibration?expand=ranges</code> counts how often the
        ranges held. <code>?expand=validity,range</code> asks for both.
      </p>
      <h2 id="markets">Market hours</h2>
      <p>
        Currencies trade from Sunday 17:00 to Friday 17:00 New York time; metals, energies and US indices the
        same with a pause in the hour after 17:00; US shares from 9:30 to 16:00; crypto always. Holidays and
        early closes are known, and the operator can add days.
      </p>
      <h2 id="history">Earlier signals</h2>
      <p>
        <code>GET /api/signals/EURUSD/H1</code> lists one slot, newest first, up to 1,000.{" "}
        <code>GET /api/account/signals</code> lists all of yours for up to 90 days. A slot outside your plan
        answers 403 <Link href={paths.docs("errors", "slot_not_in_plan")}>slot_not_in_plan</Link>.
      </p>
      <h2 id="judged">How a signal is judged</h2>
      <p>
        From the 12 candles that follow. The entry is the close of the signal&apos;s candle; the stop lies 2
        ATR(14) against it, the target <code>expected_rr</code> times as far with it. The stop counts first
        when one candle touches both. If neither is touched, the last close decides. A typical cost of the
        round trip is taken off. The result is written in R, multiples of the risk, and is final.
      </p>
    </Article>
  );
}
