import { connection } from "next/server";
import { CodeBlock } from "@/app/_components/code-block";
import { CodeTabs } from "@/app/_components/code-tabs";
import { Link } from "@/app/_components/link";
import { Notice } from "@/app/_components/notice";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { Article } from "./_parts/article";
import { Exchange } from "./_parts/exchange";
import { eaInputs, FIRST_ANSWERS, firstSteps, pythonSteps } from "./_snippets/snippets";

export const metadata = {
  title: "Quick start",
  description: "From a key to a first reported position with curl, Python or MetaTrader 5.",
};

export default async function QuickStart() {
  await connection();
  const { baseUrl } = env();
  const steps = firstSteps(baseUrl);
  const python = pythonSteps(baseUrl);
  return (
    <Article
      wide
      title="Quick start"
      lead="From a key to a first reported position. Every example below can be pasted as it stands; only the key is yours."
    >
      <h2 id="key">1. Have a key at hand</h2>
      <p>
        Your key came by e-mail after payment and was shown once. You run the service yourself? Then the first
        start printed a demo key, and <code>POST /admin/keys</code> makes more. Say where the service is and
        who you are, in the language of your choice; the steps below follow it:
      </p>
      <CodeTabs what="who you are" code={steps.start} />

      <h2 id="read">2. Read the newest signals</h2>
      <p>One item per symbol and timeframe that your plan includes:</p>
      <Exchange what="the newest signals" code={steps.scan} status={200} answer={FIRST_ANSWERS.scan} />
      <p>
        <code>signal</code> is <code>BUY</code>, <code>SELL</code> or <code>NO_TRADE</code>;{" "}
        <code>stale</code> tells whether it is too old to follow. What the other fields say is on the page
        about <Link href={paths.docs("signals")}>signals</Link>.
      </p>

      <h2 id="report">3. Report a position</h2>
      <p>
        The <code>ticket</code> is your platform&apos;s number of the position, and the key of the report:
        send it twice and nothing happens twice.
      </p>
      <Exchange what="an opened position" code={steps.open} status={201} answer={FIRST_ANSWERS.open} />
      <p>When the position ends, report the same ticket with what is new:</p>
      <Exchange what="a closed position" code={steps.close} status={201} answer={FIRST_ANSWERS.close} />

      <h2 id="see">4. See it</h2>
      <Exchange what="your positions" code={steps.list} status={200} answer={FIRST_ANSWERS.list} />
      <p>
        The same figures, drawn, are in the <Link href={paths.portal()}>portal</Link>, where you sign in with
        your e-mail address or your key.
      </p>

      <h2 id="python">With Python</h2>
      <p>
        The client repeats what failed for a moment and waits as long as <code>Retry-After</code> says; a
        report that it repeats is recorded once. It needs Python 3.9 and nothing else.
      </p>
      <CodeBlock {...python.install} />
      <CodeBlock {...python.program} />
      <CodeBlock {...python.run} />

      <h2 id="mql5">With MetaTrader 5</h2>
      <ol>
        <li>
          Download{" "}
          <a href={paths.eaKitFile("SignalDelivery.mqh")} download>
            SignalDelivery.mqh
          </a>{" "}
          and{" "}
          <a href={paths.eaKitFile("SignalFollower.mq5")} download>
            SignalFollower.mq5
          </a>{" "}
          into one folder under <code>MQL5/Experts</code>, open the second in MetaEditor and press F7.
        </li>
        <li>
          In the terminal open Tools, Options, Expert Advisors, tick &quot;Allow WebRequest for listed
          URL&quot; and add <code>{baseUrl}</code>. A program cannot do this for you.
        </li>
        <li>
          Drag SignalFollower onto a chart of the symbol and timeframe to follow, and fill in two inputs:
        </li>
      </ol>
      <CodeBlock {...eaInputs(baseUrl)} />
      <p>
        The corner of the chart says &quot;connected&quot;, and the portal shows your EA as online within a
        minute. If it does not, the page about <Link href={paths.docs("metatrader")}>MetaTrader</Link> lists
        every message with its cure.
      </p>
      <Notice tone="warn" title="Use a demo account first">
        The sample EA opens real positions on the account it runs on.
      </Notice>
    </Article>
  );
}
