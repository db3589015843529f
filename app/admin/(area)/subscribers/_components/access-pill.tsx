import { StatusPill } from "@/app/_components/status-pill";
import type { AccessState } from "@/lib/vocabulary";

/** Whether a subscriber's newest key works, as colour, icon and word. */
export function AccessPill({ state }: { state: AccessState }) {
  if (state === "none") return <StatusPill state="unknown" label="No key" />;
  return <StatusPill state={state} />;
}
