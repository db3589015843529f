import { CodeBlock } from "@/app/_components/code-block";
import { Link } from "@/app/_components/link";
import { Article } from "@/app/(site)/docs/(text)/_parts/article";
import { Facts } from "@/app/(site)/docs/(text)/_parts/facts";
import { agentSnippets } from "@/app/(site)/docs/(text)/_snippets/agent-snippets";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";

export const metadata = {
  title: "Agents",
  description:
    "How an agent that speaks the Model Context Protocol reads signals, the record and your executions.",
};

export default function Agents() {
  const snippets = agentSnippets(env().baseUrl);
  return (
    <Article
      page="agents"
      title="Agents"
      lead="At /mcp the service speaks the Model Context Protocol: an assistant asks for signals, how they turned out, and what your client did. It can read, and nothing else."
    >
      <h2 id="add">Add it</h2>
      <p>
        The address is <code>{`${env().baseUrl}/mcp`}</code>, by streamable HTTP. Your key goes into the
        header <code>X-API-Key</code>, or as <code>Authorization: Bearer</code> where a program knows only
        that.
      </p>
      <CodeBlock {...snippets.command} />
      <CodeBlock {...snippets.claude} />
      <CodeBlock {...snippets.cursor} />
      <CodeBlock {...snippets.vscode} />
      <h2 id="tools">Tools</h2>
      <Facts
        caption="Tools"
        headers={["Tool", "What it tells", "What it takes"]}
        rows={[
          ["scan", "The newest signal of every slot of your plan, with validity and range", "min_confidence"],
          ["slot_history", "The signals of one slot, newest first", "symbol, timeframe, limit"],
          ["record", "What came of all published signals", "symbol, timeframe, from, to"],
          ["calibration", "How well the probabilities of each model fit", "symbol, timeframe, days"],
          ["my_executions", "What your trading client reported, with totals", "days, limit"],
        ]}
      />
      <p>
        Answers are JSON with the fields of the <Link href={paths.docs("reference")}>interface</Link>, and
        with <code>simulated</code>, which is true where the market is simulated. A tool that cannot answer
        says so as an error of the protocol, with the <Link href={paths.docs("errors")}>code</Link> and the
        sentence that the interface has for it.
      </p>
      <h2 id="limits">Key, scope and limits</h2>
      <p>
        Key, plan and <Link href={paths.docs("limits")}>limit</Link> are those of the interface: each message
        counts as one request, what is not in your plan is not told, and a key that ends is refused with 401
        at the next message. There are no sessions: any instance answers any message, and nothing is pushed.
        An agent that asks is no sign of life of your trading client.
      </p>
      <CodeBlock {...snippets.curl} />
      <p>
        What an agent makes of a signal is its own doing. The service gives no advice, and places no orders.
      </p>
    </Article>
  );
}
