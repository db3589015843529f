import type { Declaration } from "@/lib/api/openapi/operation";
import { PublicCalibration, RecordQuery } from "@/lib/wire/contracts/record";

export const GET: Declaration = {
  id: "getPublicCalibration",
  tag: "Record",
  summary: "Calibration of the probabilities, beside both bots",
  description:
    "Brier score with its decomposition after Murphy, calibration error and ten bins of the confidence, each with an interval, of the model, the coin and the class frequencies.",
  access: "anyone",
  query: RecordQuery,
  ok: { status: 200, schema: PublicCalibration, description: "All slots, or those selected" },
  conditional: true,
  errors: ["not_found", "record_off"],
};
