import type { Declaration } from "@/lib/api/openapi/operation";
import { CalibrationQuery, CalibrationReport } from "@/lib/wire/contracts/quality";

export const GET: Declaration = {
  id: "getCalibration",
  tag: "Quality",
  summary: "Calibration of each model's probabilities",
  description:
    "Expected calibration error and Brier score over the signals whose outcome is known, and for comparison the Brier score of a forecast that always states the same frequencies. A model with too few outcomes is `insufficient` and gets no verdict. With `expand=slots`, the models of each slot are followed by a row with `model_v` `*` for all their forecasts in order of time. Its status compares them with what perfect forecasts would show by chance; the row has that limit and the reason. With `expand=ranges`, there is one row per slot that says how often the ranges of `/api/scan?expand=range` held.",
  errors: ["figures_too_slow", "not_in_plan"],
  access: "key",
  query: CalibrationQuery,
  ok: { status: 200, schema: CalibrationReport, description: "Calibration per model" },
};
