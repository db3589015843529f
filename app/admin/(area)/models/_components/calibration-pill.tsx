import { StatusPill } from "@/app/_components/status-pill";

/** Whether a model's probabilities match the outcomes. */
export function CalibrationPill({ status }: { status: "ok" | "drifting" | "insufficient" | undefined }) {
  if (status === "ok") return <StatusPill state="ok" label="Calibrated" />;
  return (
    <StatusPill state={status ?? "insufficient"} label={status === "drifting" ? undefined : "Too few"} />
  );
}
