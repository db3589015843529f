import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { CalibrationQuery, CalibrationReport } from "@/lib/wire/contracts/quality";

export const GET: OperationDeclaration = {
  id: "getCalibration",
  tag: "Quality",
  summary: "Calibration of each model's probabilities",
  description:
    "Expected calibration error and Brier score over the signals whose outcome is known, and for comparison the Brier score of a forecast that always states the same frequencies. A model with too few outcomes is `insufficient` and gets no verdict. The status of a single model follows a fixed rule (ECE over 0.10, or Brier score worse at 5 %); with fewer than some 500 outcomes luck alone often makes it `drifting`. With `expand=slots`, the models of each slot are followed by a row with `model_v` `*` for all their forecasts in order of time. Its status compares them with what perfect forecasts would show by chance, however often it is checked; the row has the reason, and in `ece_noise` the ECE that chance explains in a single check. With `expand=ranges`, there is one row per slot that says how often the ranges of `/api/scan?expand=range` held.",
  errors: ["figures_too_slow", "not_in_plan"],
  access: "key",
  headers: ["Signals-Entered-Later"],
  query: CalibrationQuery,
  ok: { status: 200, schema: CalibrationReport, description: "Calibration per model" },
};
