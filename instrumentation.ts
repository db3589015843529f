import type { Instrumentation } from "next";
import { reportPageFailure } from "@/lib/server/pages/report-page-failure";

/** Next calls this for each failure of a page, a form or a handler of `app`. */
export const onRequestError: Instrumentation.onRequestError = reportPageFailure;
