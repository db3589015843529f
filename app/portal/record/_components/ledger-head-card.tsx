import { Card } from "@/app/_components/card";
import { CodeBlock } from "@/app/_components/code-block";
import { paths } from "@/lib/paths";

/** The current head of the ledger, for subscribers to save. */
export function LedgerHeadCard({ head, baseUrl }: { head: string; baseUrl: string }) {
  return (
    <Card
      title="Ledger head"
      lead="Size and root of the public ledger as of now. Keep it: it proves later that nothing entered so far was changed or removed."
    >
      <div className="space-y-4">
        <CodeBlock name="Head" code={head} />
        <p className="text-sm text-muted">
          Check it at any time with{" "}
          <code className="font-mono wrap-anywhere">
            node verify.mjs {baseUrl} --head {head.split(":")[0]}:…
          </code>
          .{" "}
          <a href={paths.verify()} className="link">
            How to get the program
          </a>
        </p>
      </div>
    </Card>
  );
}
