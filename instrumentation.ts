import type { Instrumentation } from "next";

let report: Instrumentation.onRequestError = () => undefined;

/** Next calls this once at the start. It compiles this file also for its edge runtime, which has no use here. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs")
    report = (await import("@/lib/server/pages/report-page-failure")).reportPageFailure;
}

/** Next calls this for each failure of a page, a form or a handler of `app`. */
export const onRequestError: Instrumentation.onRequestError = (...failure) => report(...failure);
