import type { Declaration } from "@/lib/api/openapi/operation";
import { MonitoringData } from "@/lib/wire/contracts/monitoring";

export const GET: Declaration = {
  id: "getMonitoringData",
  tag: "Administration",
  summary: "Clients, signals, features and models of the last 24 hours",
  description:
    "How clients are doing, which directions were signalled, how features drifted, and how each model is calibrated.",
  access: "admin",
  ok: { status: 200, schema: MonitoringData, description: "What the operations dashboard shows" },
};
