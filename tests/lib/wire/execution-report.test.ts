import { expect, it } from "vitest";
import { HOUR_MS } from "@/lib/time";
import { AppError } from "@/lib/wire/errors";
import { readExecutionReport } from "@/lib/wire/execution-report";

const CLOSED_AT = new Date("2026-11-20T10:00:00Z");
const REPORT = { ticket: 7, opened_at: "2026-11-20T09:00:00Z", closed_at: CLOSED_AT.toISOString() };

const readHoursBefore = (hours: number) =>
  readExecutionReport(REPORT, new Date(CLOSED_AT.getTime() - hours * HOUR_MS));

function problemsOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error.errors?.map(({ loc, msg }) => `${loc.join(".")} ${msg}`);
    throw error;
  }
  return [];
}

it("each report is validated against its own arrival time", () => {
  expect(readHoursBefore(25).closedAt).toEqual(CLOSED_AT);
  expect(problemsOf(() => readHoursBefore(26.5))).toEqual([
    "body.closed_at must not be more than 26 hours ahead",
  ]);
  expect(readHoursBefore(0.5)).toMatchObject({ closedAt: CLOSED_AT, clockSuspect: false });
  expect(readHoursBefore(1.5), "opened in the future, as a broker's clock says it").toMatchObject({
    clockSuspect: true,
  });
});

it("all errors of a report are returned at once", () => {
  const report = { ...REPORT, ticket: "x", entry_price: "1,1", confidence: "0,5" };
  const problems = problemsOf(() => readExecutionReport(report, new Date("2026-11-01T00:00:00Z")));
  expect(problems).toEqual([
    "body.ticket must be a positive integer, as a number or as digits",
    "body.confidence must have a decimal point, not a comma",
    "body.opened_at must not be more than 26 hours ahead",
    "body.closed_at must not be more than 26 hours ahead",
    "body.entry_price must have a decimal point, not a comma",
  ]);
});
