import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { PublicCalibration, RecordQuery } from "@/lib/wire/contracts/record";

export const GET: OperationDeclaration = {
  id: "getPublicCalibration",
  tag: "Record",
  summary: "Calibration of the probabilities, compared with both bots",
  description:
    "For the model, the coin and the class frequencies: Brier score with its decomposition after Murphy, calibration error, and ten bins of confidence, each with an interval.",
  access: "anyone",
  query: RecordQuery,
  ok: { status: 200, schema: PublicCalibration, description: "All slots, or the selected ones" },
  conditional: true,
  errors: ["not_found", "record_off"],
};
