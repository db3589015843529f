import { CodeBlock } from "@/app/_components/code-block";
import { Link } from "@/app/_components/link";
import { Article } from "@/app/(site)/docs/(text)/_parts/article";
import { Facts } from "@/app/(site)/docs/(text)/_parts/facts";
import { liveSnippets } from "@/app/(site)/docs/(text)/_snippets/snippets";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";

export const metadata = {
  title: "Waiting and streaming",
  description: "How to have a signal within a second of its making, and none twice.",
};

export default function Live() {
  const snippets = liveSnippets(env().baseUrl);
  return (
    <Article
      page="live"
      title="Waiting and streaming"
      lead="Both bring a signal within about a second. Wait where a program asks again and again, as MetaTrader does; stream where it can hold a connection."
    >
      <h2 id="numbers">One number for every signal</h2>
      <p>
        Signals are numbered in the order in which they are recorded, over all slots, so that yours may lie
        apart: 7, 9, 12. The <code>id</code> of a streamed signal is that number. A scan says in the header{" "}
        <code>Signal-Seq</code> up to which number it tells everything: a stream from there on leaves nothing
        out.
      </p>
      <h2 id="wait">Waiting</h2>
      <p>
        Ask <code>GET /api/scan</code> with <code>wait</code>, 0 to 55 seconds, and the <code>ETag</code> of
        your last answer in <code>If-None-Match</code>. It answers as soon as the list differs from yours, or
        with 304 when the time is over. Then ask again at once. With <code>expand=validity</code> a change of{" "}
        <code>age_minutes</code> alone is no difference. A wait counts as one request, and shows that your
        client is there. If the key ends meanwhile, the answer is its 401.
      </p>
      <CodeBlock {...snippets.wait} />
      <p>
        <code>Next-Signal-At</code> says when the next candle of your slots closes while its market trades: no
        signal is due before.
      </p>
      <p>
        While the operator pauses a slot, it is not in the list, the header <code>Paused-Slots</code> names
        it, and nothing of it is streamed. Signals are still made and judged; the history shows those of the
        pause once it is over.
      </p>
      <p>
        In MetaTrader a wait blocks the chart that it is made from, and no other: give it a chart of its own.
        The sample EA waits from its timer, at most 25 seconds, because the terminal waits for it when it is
        closed.
      </p>
      <CodeBlock {...snippets.python} />
      <CodeBlock {...snippets.mql} />
      <h2 id="stream">Streaming</h2>
      <p>
        <code>GET /api/stream</code> sends server-sent events. Without a place it begins with the next signal;
        with <code>Last-Event-ID</code>, or <code>?after=</code>, it first sends what you missed, up to 1,000
        signals. A comment comes every 15 seconds: if nothing comes for 45, connect again.
      </p>
      <CodeBlock {...snippets.stream} />
      <Facts
        caption="Events of the stream"
        headers={["Event", "Data"]}
        rows={[
          ["signal", "The fields of a signal and pred_id. Its id is the number of the signal."],
          ["gap", "from, to: numbers among which more signals of yours lie than are sent again."],
          ["model", "symbol, timeframe, model_v: the slot has another champion. Not sent again."],
          ["status", "status, reasons: how the service is, at the beginning and at each change."],
          ["end", "code, detail: the key works no more, with the code of its 401. Do not connect again."],
        ]}
      />
      <CodeBlock {...snippets.node} />
      <p>
        When the service is restarted, a stream ends after an event without data that repeats your last
        number, and a wait with 304. Connect again; a 503 says in <code>Retry-After</code> when.
      </p>
      <p>
        Blocks without data move your place: send their <code>id</code> back as it is. It also names the
        history of the service. After a restore an unknown place starts from now on, after a <code>gap</code>{" "}
        up to the newest number: read <code>GET /api/scan</code> once.
      </p>
      <h2 id="limits">Limits</h2>
      <p>
        A key may have {env().openPerKey} requests waiting or streaming at once; one more answers 429{" "}
        <Link href={paths.docs("errors", "too_many_open")}>too_many_open</Link>, and asking without{" "}
        <code>wait</code> goes on. A client that leaves 64 kB of its stream unread for ten seconds is cut off;
        it goes on from its last number.
      </p>
    </Article>
  );
}
