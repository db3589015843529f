import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { MonitoringData } from "@/lib/wire/contracts/monitoring";

export const GET: OperationDeclaration = {
  id: "getMonitoringData",
  tag: "Administration",
  summary: "Clients, signals, features and models of the last 24 hours",
  description: "States of clients, directions of signals, drift of features, and calibration of each model.",
  access: "admin",
  ok: { status: 200, schema: MonitoringData, description: "Data of the operations dashboard" },
};
