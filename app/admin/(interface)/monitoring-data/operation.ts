import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { MonitoringData } from "@/lib/wire/contracts/monitoring";

export const GET: OperationDeclaration = {
  id: "getMonitoringData",
  tag: "Administration",
  summary: "Clients, signals, features and models",
  description:
    "The state of each trading client, the number of signals by direction in the last 24 hours, the drift of each feature, and " +
    "the calibration of each model.",
  access: "admin",
  ok: { status: 200, schema: MonitoringData, description: "Data of the operations dashboard" },
};
