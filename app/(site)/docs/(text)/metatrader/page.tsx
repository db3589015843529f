import { connection } from "next/server";
import { CodeBlock } from "@/app/_components/code-block";
import { Link } from "@/app/_components/link";
import { Article } from "@/app/(site)/docs/(text)/_parts/article";
import { Facts } from "@/app/(site)/docs/(text)/_parts/facts";
import { mqlReport } from "@/app/(site)/docs/(text)/_snippets/snippets";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";

export const metadata = {
  title: "MetaTrader",
  description: "WebRequest, error codes 4014 and 5200 to 5203, broker time and symbol names.",
};

export default async function MetaTrader() {
  await connection();
  return (
    <Article
      page="metatrader"
      title="MetaTrader"
      lead="What is special about MetaTrader as a client, and what to do when something does not work."
    >
      <h2 id="troubleshooting">When it does not work</h2>
      <p>
        The Experts tab of the terminal shows one of these. The allow-list belongs to one terminal: a second
        one, for example on a server, has its own.
      </p>
      <Facts
        caption="Messages and their cure"
        headers={["Message", "Means", "Cure"]}
        rows={[
          [
            "4014",
            "The terminal forbids the address.",
            `Tools, Options, Expert Advisors: tick the box and add ${env().baseUrl}. WebRequest works in EAs and scripts, not in indicators and not in the Strategy Tester.`,
          ],
          ["5200", "The address is not valid.", "Check InpApiUrl: it begins with https:// and has no blank."],
          ["5201", "No connection.", "Check the network of the machine, its DNS and its firewall."],
          ["5202", "No answer in time.", "Usually passes. If not, see the status page."],
          [
            "5203",
            "The exchange failed.",
            "Often a virus scanner or proxy that opens TLS, or a terminal too old for it: update it.",
          ],
          [
            "401",
            "The key was refused.",
            <>
              The answer says why; see{" "}
              <Link href={paths.docs("authentication", "refusals")} className="link">
                authentication
              </Link>
              . After a rotation the new key must be pasted into every chart.
            </>,
          ],
          [
            "422",
            "A report was not understood.",
            "The answer names the field. The portal keeps refused reports with their reason.",
          ],
          [
            "429",
            "Too many requests.",
            "Several charts with one key share its limit. Raise InpPollSeconds; the kit waits as long as it is told. Three of them wait at the service at once, the others ask at that pace.",
          ],
          [
            "Is InpApiUrl right?",
            "Something else answers there.",
            `Copy the address again: ${env().baseUrl}`,
          ],
          ["503", "The service is busy or away.", "Wait and repeat. The kit does."],
        ]}
      />
      <h2 id="symbols">Symbols</h2>
      <p>
        Brokers rename instruments. In reports <code>EURUSDm</code>, <code>EURUSD.i</code>,{" "}
        <code>#EURUSD</code>, <code>XAUUSD-ECN</code> and <code>GOLD</code> are matched to the service&apos;s
        name and kept as you sent them. When you look for a signal you must use the service&apos;s name: the
        sample EA takes the first six letters of the chart&apos;s symbol, or <code>InpSymbol</code> when that
        is not right. When it says &quot;no signal&quot;, the slot is not in your plan or has another name.
      </p>
      <h2 id="times">Times shifted by two or three hours</h2>
      <p>
        Terminals show and store the broker&apos;s time, usually UTC+2, in summer UTC+3. The service speaks
        UTC. Convert before you send: <code>TimeTradeServer() - TimeGMT()</code>, rounded to a quarter of an
        hour, is the offset; <code>ToUtc</code> in the include does it. Reports that look like broker time
        sent as UTC are accepted and flagged.
      </p>
      <h2 id="bodies">Bodies without the trailing zero</h2>
      <p>
        <code>StringToCharArray</code> copies the terminating zero unless it is told a length, and many
        servers reject the JSON that ends with it. This one ignores it, but do it right:
      </p>
      <CodeBlock {...mqlReport} />
      <h2 id="restarts">Restarts and lost answers</h2>
      <p>
        Keep no journal of your own. The terminal&apos;s history knows every position: report what it shows
        and has not been confirmed, and repeat until the answer is 201. The sample EA does it that way.
      </p>
    </Article>
  );
}
