import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { connection } from "next/server";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { countWithNoun, formatSigned } from "@/app/_components/figures";
import { PageHeader } from "@/app/_components/page-header";
import { SimulatedNotice } from "@/app/_components/simulated-mark";
import { Stat, StatRow } from "@/app/_components/stat";
import { Timestamp } from "@/app/_components/timestamp";
import { HypotheticalStatement } from "@/app/(site)/_record/hypothetical";
import { RecordOff } from "@/app/(site)/_record/record-off";
import { DecompositionCard } from "@/app/portal/record/_components/decomposition-card";
import { OwnCalibration } from "@/app/portal/record/_components/own-calibration";
import { db } from "@/db/client";
import { computeReceiverAccess } from "@/lib/access/compute-receiver-access";
import { microRToR } from "@/lib/executions/own-record/decompose";
import { MIN_IN_BIN } from "@/lib/executions/own-record/own-calibration";
import { findSharedRecordOf, SHARED_DAYS } from "@/lib/executions/own-record/share-record";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { isRecordPublic } from "@/lib/signals/record/is-public";

type Params = Promise<{ token: string }>;

export const metadata: Metadata = {
  title: "A subscriber's record",
  description:
    "Results of one subscriber who traded the signals of this service, as their trading client reported them.",
  robots: { index: false, follow: false },
};

const THEIRS = {
  title: "From the model's result to the subscriber's",
  ...{ own: "The subscriber", short: "own", spared: "the subscriber avoided" },
};

/** The public page of a record that a subscriber shared by link. It contains no names and no open positions. */
export default async function SharedRecordPage({ params }: { params: Params }) {
  await connection();
  if (!(await isRecordPublic())) return <RecordOff title="A subscriber's record" />;
  const { token } = await params;
  const record = await findSharedRecordOf(db("heavy"), token, computeReceiverAccess, new Date());
  if (record === null) notFound();
  const { model, own } = record.decomposition;
  const simulated = env().marketFeed === "demo";
  return (
    <div className="mx-auto max-w-6xl px-4 py-12 sm:px-6 lg:py-16">
      <PageHeader
        title="A subscriber's record"
        lead={
          <>
            A subscriber&apos;s results with the signals of this service since <Timestamp at={record.from} />.
            The subscriber shares them without a name.
          </>
        }
        actions={<LinkButton href={paths.record()}>The record of all signals</LinkButton>}
      />
      <div className="space-y-6">
        {simulated && <SimulatedNotice />}
        <StatRow label={`Over ${SHARED_DAYS} days at most`} columns={2}>
          <Stat
            label="The model"
            value={`${formatSigned(microRToR(model.microR))} R`}
            n={model.n}
            hint="Sum over the resolved signals in the plan, after a typical cost. One R is the distance from entry to stop."
          />
          <Stat
            label="The subscriber"
            value={`${formatSigned(microRToR(own.microR))} R`}
            n={own.n}
            hint="Sum over closed positions that followed these signals, at the prices that the trading client reported."
          />
        </StatRow>
        <DecompositionCard decomposition={record.decomposition} nOthers={record.nOthers} words={THEIRS} />
        {record.calibration.some(({ n }) => n > 0) && (
          <Card
            title="Calibration of the followed signals"
            lead="Signals with a position, by their confidence. A signal came true when the price reached the level in its direction first."
            flush
            footer={`No rate with fewer than ${MIN_IN_BIN} signals in a band. Wilson intervals at 95 %, for signals that do not overlap in time.`}
          >
            <OwnCalibration bins={record.calibration} />
          </Card>
        )}
        <Card title="What can be checked">
          <p className="max-w-[68ch] text-sm text-muted">
            The model&apos;s results follow from candles and are in a public ledger. The subscriber&apos;s
            results are as the trading client reported them and were not compared with an account.{" "}
            {own.n < FEW &&
              `${countWithNoun(own.n, "position")} ${own.n === 1 ? "is" : "are"} too few to tell skill from luck.`}
          </p>
          <div className="mt-4">
            <LinkButton href={paths.verify()}>Check the signals</LinkButton>
          </div>
        </Card>
        <HypotheticalStatement />
      </div>
    </div>
  );
}

const FEW = 50;
