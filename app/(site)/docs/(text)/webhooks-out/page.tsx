import { CodeBlock } from "@/app/_components/code-block";
import { Link } from "@/app/_components/link";
import { Article } from "@/app/(site)/docs/(text)/_parts/article";
import { Facts } from "@/app/(site)/docs/(text)/_parts/facts";
import { webhookSnippets } from "@/app/(site)/docs/(text)/_snippets/webhook-snippets";
import { paths } from "@/lib/paths";

export const metadata = {
  title: "Webhooks",
  description: "Signals and results posted to your own server, signed and in order.",
};

export default function WebhooksOut() {
  const snippets = webhookSnippets();
  return (
    <Article
      page="webhooks-out"
      title="Webhooks"
      lead="Signals and their results are posted to your own server within about two seconds. You name the address in the portal, page Delivery; a plan with webhooks has up to five."
    >
      <h2 id="events">Events</h2>
      <p>
        A delivery is a JSON object with <code>type</code>, <code>timestamp</code>, <code>simulated</code>{" "}
        (true in a demo, whose market is invented) and <code>data</code>.
      </p>
      <Facts
        caption="Events"
        headers={["Type", "When", "Data"]}
        rows={[
          [
            "signal.created",
            "A signal of your slots was recorded.",
            "The fields of a signal, pred_id, seq and valid_until.",
          ],
          [
            "signal.resolved",
            "Twelve further candles have closed.",
            "pred_id, seq, symbol, timeframe, signal, ts, model_v, outcome (which barrier came first), result_r (after costs; null for NO_TRADE), exit_reason, entry_price, exit_price, ended_at.",
          ],
          ["model.changed", "A slot has another model.", "symbol, timeframe, model_v."],
          [
            "key.expiring",
            "Access ends in 7, 3 or 1 days, or as the operator has set it.",
            "key_id, api_key_hint, plan_tier, expires_at, days_remaining.",
          ],
          ["endpoint.test", "You pressed “Send a test”.", "text."],
        ]}
      />
      <h2 id="receive">Receive them</h2>
      <p>
        Deliveries follow{" "}
        <a href="https://www.standardwebhooks.com" rel="noreferrer">
          Standard Webhooks
        </a>
        , so that its libraries verify them. The secret, which begins with <code>whsec_</code>, is shown once.
        The signature covers the id, the time and the raw body: check it before you parse, and refuse what is
        older than five minutes.
      </p>
      <Facts
        caption="Headers"
        headers={["Header", "Holds"]}
        rows={[
          ["webhook-id", "The delivery's id: the same for each try."],
          ["webhook-timestamp", "Seconds since 1970, of this try."],
          ["webhook-signature", "v1, and the HMAC-SHA256 in Base64; two of them while two secrets count."],
        ]}
      />
      <CodeBlock {...snippets.node} />
      <CodeBlock {...snippets.python} />
      <h2 id="promise">What is promised</h2>
      <ul>
        <li>
          Each event at least once. It comes twice when your answer was lost on its way: note the{" "}
          <code>webhook-id</code>.
        </li>
        <li>
          In order. A delivery that fails holds up the later ones of its endpoint, and no other endpoint.
        </li>
        <li>
          Ten tries over a day: after 10 seconds, 1, 5 and 15 minutes, 1, 2, 4, 6 and 10 hours. Then the
          endpoint is paused and you get a mail. <code>Retry-After</code> is heeded up to an hour; 410 pauses
          at once.
        </li>
        <li>
          After a pause, what was published in the last 24 hours follows, at most the newest 1,000 signals.
          Older ones are in the <Link href={paths.docs("signals")}>history</Link>.
        </li>
        <li>
          Plan, limits of the key and its end are judged when a delivery is sent. With the end of access
          nothing more leaves.
        </li>
      </ul>
      <h2 id="answer">Your answer</h2>
      <p>
        Any status from 200 to 299, within five seconds, counts as taken. Answer first and work later.
        Redirects are not followed. At most 64 kB of an answer are read; its first kilobyte is kept for you in
        the portal, with the last 200 tries and a button to send again.
      </p>
      <h2 id="address">The address</h2>
      <p>
        It begins with <code>https://</code> and leads to the public network. Names are resolved for every
        connection; one that leads to a private, local or reserved address is not connected to. On a demo{" "}
        <code>http://localhost</code> works, too.
      </p>
      <h2 id="secret">A new secret</h2>
      <p>
        Replace it in the portal. For 24 hours each delivery carries signatures of both, so that you can
        change over in your own time.
      </p>
    </Article>
  );
}
