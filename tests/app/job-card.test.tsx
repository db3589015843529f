import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { JobCard } from "@/app/admin/(area)/operations/_components/job-card";

const now = new Date("2026-11-29T12:00:00Z");
const runOf = (job: string) => ({
  job,
  lastStartedAt: now,
  lastFinishedAt: now,
  lastErrorCode: null,
  nRuns: 3,
  nErrors: 0,
});
const textOf = (areBackupsOff: boolean) =>
  renderToStaticMarkup(
    <JobCard jobs={[runOf("backup"), runOf("probe")]} areBackupsOff={areBackupsOff} now={now} />,
  ).replaceAll(/<[^>]+>/g, " ");

it("the job backup is off while backups are off, and other jobs are done", () => {
  expect(textOf(true).match(/\b(Off|Done)\b/g)).toEqual(["Off", "Done"]);
  expect(textOf(false).match(/\b(Off|Done)\b/g)).toEqual(["Done", "Done"]);
});

it("the card of jobs says which jobs are listed only after a failure", () => {
  expect(textOf(true)).toContain("listed once a run has failed");
});
