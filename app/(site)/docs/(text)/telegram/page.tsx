import { Link } from "@/app/_components/link";
import { Article } from "@/app/(site)/docs/(text)/_parts/article";
import { Facts } from "@/app/(site)/docs/(text)/_parts/facts";
import { paths } from "@/lib/paths";

export const metadata = {
  title: "Telegram",
  description:
    "A message for each signal of your plan. When the result is known, it is added to the message.",
};

export default function Telegram() {
  return (
    <Article
      page="telegram"
      title="Telegram"
      lead="Signals come as messages of a bot: direction, probability, target and stop as prices, and until when they hold. Every plan has it unless the operator says otherwise."
    >
      <h2 id="link">Link a chat</h2>
      <p>
        Sign in to the portal, open Delivery and press “Link Telegram”. The link that you get works once, for
        ten minutes: open it and press Start. A subscription has one chat; linking another takes its place.
      </p>
      <h2 id="messages">Messages</h2>
      <p>
        A signal is a message. When its result is known, twelve candles later, the message is written anew:
        target reached, stop reached, or time over, with the result in R after costs. More than three signals
        at once come as one message with a line each. A signal that says NO TRADE is left out unless you ask
        for it.
      </p>
      <p>
        Target and stop are measured from the close of the candle that the signal was made from, by the rule
        by which signals are judged. They are no advice.
      </p>
      <h2 id="commands">Commands</h2>
      <Facts
        caption="Commands of the bot"
        headers={["Command", "What it does"]}
        rows={[
          [
            "/slots",
            "Switches slots, and NO TRADE, on and off by buttons; /slots EURUSD and /slots H1 show some of many.",
          ],
          [
            "/quiet 22-7",
            "No sound in these hours, on the time zone of your portal's settings; /quiet off ends it.",
          ],
          ["/status", "Says your plan, its end, and what is set."],
          ["/stop", "Ends it. The portal links the chat again."],
        ]}
      />
      <h2 id="promise">What is promised</h2>
      <ul>
        <li>
          No message comes twice. When the service stops in the middle of one, that one is marked as in doubt
          in the portal and not repeated.
        </li>
        <li>
          Telegram allows a bot 30 messages a second, to all chats together. With many readers a message may
          take a while; what is older than six hours is left out. A trading program follows the{" "}
          <Link href={paths.docs("live")}>stream</Link> instead.
        </li>
        <li>With the end of access the messages end at once, and the bot says so.</li>
        <li>Blocking the bot unlinks the chat.</li>
      </ul>
      <h2 id="discord">Discord</h2>
      <p>
        A channel of your Discord server can get the same signals. In Discord, make a webhook for the channel
        (Edit Channel, Integrations, Webhooks), copy its URL and save it in the portal under Delivery. Choose
        new signals, results, incidents of this service, and the hours without sound. Plans with Telegram have
        it.
      </p>
      <ul>
        <li>
          Each signal and each result is sent once. Up to ten that wait together come as one message. When it
          is unknown whether a message arrived, it is marked as in doubt and not repeated.
        </li>
        <li>What is older than six hours is left out.</li>
        <li>
          When the webhook is deleted in Discord, sending stops until you save another URL. Anyone who has the
          URL can write into the channel: the portal stores it encrypted and never shows it again.
        </li>
      </ul>
      <h2 id="operators">For operators</h2>
      <p>
        Make a bot with @BotFather and set <code>TELEGRAM_BOT_TOKEN</code>. The service asks Telegram for
        updates, which works behind any router; no address has to be open to Telegram. With{" "}
        <code>TELEGRAM_MODE=webhook</code> Telegram sends them to <code>/webhooks/telegram</code> under your{" "}
        <code>BASE_URL</code> instead, with a secret that the service gives it; setting <code>polling</code>{" "}
        again takes the address back. <code>TELEGRAM_API_ROOT</code> names a Bot API server of your own.
      </p>
    </Article>
  );
}
