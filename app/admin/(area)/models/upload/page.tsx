import type { Metadata } from "next";
import { z } from "zod";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Select } from "@/app/_components/form/select";
import { PageHeader } from "@/app/_components/page-header";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { FileInput } from "@/app/admin/_components/file-input";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { db } from "@/db/client";
import { UPLOAD_KINDS } from "@/lib/admin/upload-rows";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths, paths } from "@/lib/paths";
import { choiceFilter, type SearchParams } from "@/lib/wire/query-filter";

export const metadata: Metadata = { title: "Upload a file" };

const Query = z.object({ kind: choiceFilter(UPLOAD_KINDS) });

const KIND_LABELS = {
  signals: "Signals",
  models: "Models",
  features: "Features",
  candles: "Candles",
} as const;

/** One example row of each kind as CSV. */
const EXAMPLES = {
  signals: `symbol,timeframe,ts,signal,confidence,prob_buy,prob_sell,prob_no,regime,expected_rr,model_v
EURUSD,H1,2026-11-20T10:00:00Z,BUY,0.52,0.52,0.2,0.28,TREND_UP,1.5,gbt-7`,
  models: `symbol,timeframe,model_v,auc_wf,pf_wf,is_active,trained_at
EURUSD,H1,gbt-7,0.58,1.24,true,2026-11-01T00:00:00Z`,
  features: `{"symbol":"EURUSD","timeframe":"H1","ts":"2026-11-20T10:00:00Z","model_v":"gbt-7","values":{"rsi_14":54.2}}`,
  candles: `symbol,timeframe,ts,open,high,low,close,volume
EURUSD,H1,2026-11-20T10:00:00Z,1.0841,1.0852,1.0838,1.0849,3127`,
} as const;

/** Uploads candles, or models, signals and features of the operator's pipeline, as a file. */
export default async function Upload({ searchParams }: { searchParams: SearchParams }) {
  const session = await requireAdminSession(adminPaths.upload());
  const [flash, query] = await Promise.all([consumeFlash(db(), session.sessionId), searchParams]);
  const form = formState(flash, "ingest.upload");
  const { kind = "signals" } = Query.parse(query);
  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.models(), label: "Models" }}
        title="Upload a file"
        lead="Signals, models and features of a model that runs outside this service, and candles. The file is stored as a whole or not at all; uploading it twice changes nothing."
      />
      <FlashNotice flash={flash} />
      <div className="grid items-start gap-6 lg:grid-cols-[1fr_1fr]">
        <Card title="File">
          <ActionForm
            needs="ingest.upload"
            action={adminPaths.uploadForm("upload")}
            encType="multipart/form-data"
            className="space-y-5"
          >
            <Select
              label="Contents"
              name="kind"
              defaultValue={form.values.kind ?? kind}
              error={form.errors.kind}
              options={UPLOAD_KINDS.map((value) => ({ value, label: KIND_LABELS[value] }))}
            />
            <FileInput
              label="File"
              name="file"
              accept=".csv,.json,.ndjson,.jsonl,.txt"
              error={form.errors.file}
              hint="CSV with a header, JSON or NDJSON. At most 5,000 rows and 8 MB. For longer files and MetaTrader's exports use the command ingest."
            />
            <div className="flex flex-wrap gap-2">
              <Button type="submit" variant="primary">
                Upload
              </Button>
              <Button type="submit" name="only_check" value="true">
                Check only
              </Button>
            </div>
          </ActionForm>
        </Card>
        <Card
          title="Format"
          lead={
            <>
              The fields are those of <code className="font-mono">POST /admin/ingest/…</code> in the{" "}
              <a href={paths.docs("reference")} className="link">
                API reference
              </a>
              . <code className="font-mono">ts</code> is the opening time of a candle, in UTC. Each signal
              names its model in <code className="font-mono">model_v</code>. An active model becomes the
              champion of its slot.
            </>
          }
        >
          <dl className="space-y-4 text-sm">
            {UPLOAD_KINDS.map((name) => (
              <div key={name}>
                <dt className="font-medium">{KIND_LABELS[name]}</dt>
                <dd>
                  {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box is reached by the keyboard */}
                  <pre tabIndex={0} className="mt-1 overflow-x-auto rounded-md bg-sunken p-3 text-xs">
                    {EXAMPLES[name]}
                  </pre>
                </dd>
              </div>
            ))}
          </dl>
        </Card>
      </div>
    </>
  );
}
