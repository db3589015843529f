import { StatusPill } from "@/app/_components/status-pill";

/** Whether probabilities differ from the outcomes by more than chance. */
export function CalibrationPill({ status }: { status: "ok" | "drifting" | "insufficient" | undefined }) {
  if (status === "ok") return <StatusPill state="ok" label="No drift" />;
  return (
    <StatusPill state={status ?? "insufficient"} label={status === "drifting" ? undefined : "Too few"} />
  );
}
