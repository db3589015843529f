import { connection } from "next/server";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CodeBlock } from "@/app/_components/code-block";
import { PageHeader } from "@/app/_components/page-header";
import { SimulatedNotice } from "@/app/_components/simulated-mark";
import { RecordOff } from "@/app/(site)/_record/record-off";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { isRecordPublic } from "@/lib/signals/record/is-public";
import { isDemonstration } from "@/lib/signals/record/record-rule";

export const metadata = {
  title: "Check it yourself",
  description: "What the ledger proves, how, and one command that recomputes every figure of the record.",
};

const PROVED = [
  {
    term: "It was not written afterwards",
    text: "A signal counts only if it was sealed in the ledger before the next candle closed. The seal is the SHA-256 of a random salt and the signal. After its 12 candles both are published, and anyone can check that they give the same hash.",
  },
  {
    term: "Omissions are visible",
    text: "The record shows how many closed candles have a signal that was committed in time, NO TRADE and losers included. The program compares both numbers with the ledger and the public candles. How many candles were late or paused is the service's own statement.",
  },
  {
    term: "Nothing is changed",
    text: "The ledger is a Merkle tree like those of certificate logs (RFC 6962), and its head is signed. A changed entry changes the head, and anyone who kept an older head can prove it. Corrections are separate entries.",
  },
  {
    term: "The figures follow from it",
    text: "Each outcome follows from candles whose hash is in the ledger, and every figure is a sum over outcomes. The program recomputes the figures, and also the outcomes where candles are public. The claim of a model is an entry too, made before its first signal.",
  },
];

/** How the record is proved, the program that verifies all of it, and a check of one signal in the browser. */
export default async function Verify() {
  await connection();
  if (!(await isRecordPublic())) return <RecordOff title="Check it yourself" />;
  const { baseUrl } = env();
  return (
    <div className="mx-auto max-w-4xl px-4 py-12 sm:px-6 lg:py-16">
      <PageHeader
        title="Check it yourself"
        lead="One Node script without dependencies downloads the ledger and recomputes every figure of the record."
      />
      <div className="space-y-6">
        {isDemonstration() && <SimulatedNotice />}
        <CodeBlock
          name="Node 20 or newer"
          code={`curl -fsSO ${baseUrl}${paths.verifier()}\nnode verify.mjs ${baseUrl}`}
        />
        <p className="text-sm text-muted">
          Exit code 0: every signal that was committed in time was checked and is right. 1: something is
          wrong, and the entry is named. 2: the service could not be read, so nothing is said about the
          record. 3: nothing is proved yet. Keep the key that it prints and pass it as the second argument
          next time. Read the file first:{" "}
          <a href={paths.verifier()} className="link">
            verify.mjs
          </a>{" "}
          is one file and contacts no other server.
        </p>
        <Card title="What it proves">
          <dl className="grid gap-x-10 gap-y-6 sm:grid-cols-2">
            {PROVED.map(({ term, text }) => (
              <div key={term}>
                <dt className="font-semibold">{term}</dt>
                <dd className="mt-1 text-sm text-muted">{text}</dd>
              </div>
            ))}
          </dl>
        </Card>
        <section id="one" className="scroll-mt-24">
          <Card
            title="One signal, in this browser"
            lead="Your browser fetches the entries of one signal and checks seal, tree and signature."
          >
            <form
              data-check-one=""
              className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm text-muted"
            >
              <Button type="submit">Check the newest resolved signal</Button>
              <span>
                or choose another by its number in the{" "}
                <a href={paths.record()} className="link">
                  record
                </a>{" "}
                of its slot.
              </span>
            </form>
            <ol data-check-steps="" aria-live="polite" className="mt-5 space-y-2 text-sm" />
            <noscript>
              <p className="mt-4 text-sm text-muted">
                This check needs JavaScript in the browser. The program above runs without a browser.
              </p>
            </noscript>
          </Card>
        </section>
        <Card title="What it does not prove">
          <ul className="list-disc space-y-2 pl-5 text-sm text-muted marker:text-faint">
            <li>
              That the candles are right. They are the operator&apos;s; compare them with your broker&apos;s.
            </li>
            <li>
              That you would have had the same fills. Results are computed from candles, less a typical cost.
            </li>
            <li>
              Anything about signals marked “entered later”: they were not sealed before the next candle
              closed. They are listed separately and not counted in the record.
            </li>
            <li>That future results will be similar.</li>
          </ul>
        </Card>
        <Card
          title="What you can keep"
          lead="Keep these. If the past is rewritten, or a published signal differs from the one that was sent, you will notice."
        >
          <dl className="space-y-4 text-sm">
            <div>
              <dt className="font-semibold">A head of the ledger</dt>
              <dd className="mt-1 text-muted">
                Its size and root, from the portal, a mail or a Telegram digest. The program proves that
                today&apos;s ledger begins with the same entries:{" "}
                <code className="font-mono wrap-anywhere">node verify.mjs {baseUrl} --head SIZE:ROOT</code>
              </dd>
            </div>
            <div>
              <dt className="font-semibold">An API response</dt>
              <dd className="mt-1 text-muted">
                <code className="font-mono">GET /api/scan</code> and{" "}
                <code className="font-mono">/api/signals/…</code> are signed in the header{" "}
                <code className="font-mono">Signal-Receipt</code>. Save the whole response and check that its
                signals are in the ledger:{" "}
                <code className="font-mono wrap-anywhere">
                  curl -si -H &quot;X-API-Key: $API_KEY&quot; {baseUrl}/api/scan -o receipt.txt
                </code>
                , then{" "}
                <code className="font-mono wrap-anywhere">
                  node verify.mjs {baseUrl} --receipt receipt.txt
                </code>
                . Answers with <code className="font-mono">expand=validity</code> have no receipt. The ledger
                reveals a signal when its 12 candles have closed; until then the program counts it as not
                revealed yet.
              </dd>
            </div>
          </dl>
        </Card>
        <Card title="For programs">
          <p className="text-sm text-muted">
            The signed head is at <code className="font-mono">/api/public/ledger/checkpoint</code> as a C2SP
            signed note, the key at <code className="font-mono">/.well-known/signal-ledger</code>; entries,
            proofs and figures are in the{" "}
            <a href={paths.docs("reference")} className="link">
              reference
            </a>
            .
          </p>
          <div className="mt-4 flex flex-wrap gap-3">
            <LinkButton href={paths.record()}>The record</LinkButton>
          </div>
        </Card>
      </div>
      <script src="/verify/check-one.js" async />
    </div>
  );
}
